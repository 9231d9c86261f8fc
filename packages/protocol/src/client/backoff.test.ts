import { expect, test } from "vitest";
import { retryDelayMs } from "./link.ts";

test("the maximum wait doubles from 250 ms to 10 s, and the wait is a random part of it", () => {
	const longest = [0, 1, 2, 3, 4, 5, 6, 1000].map((failures) => retryDelayMs(failures, 1));
	expect(longest).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
	expect(retryDelayMs(6, 0)).toBe(0);
	expect(retryDelayMs(6, 0.25)).toBe(2500);
});
