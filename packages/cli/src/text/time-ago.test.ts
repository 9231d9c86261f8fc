import { expect, test } from "vitest";
import { duration, timeAgo, timeLeft } from "./time-ago.ts";

const second = 1000;
const hour = 3600 * second;

test.each([
	[0, "0 s"],
	[59 * second, "59 s"],
	[90 * second, "1 min"],
	[47 * hour, "47 h"],
	[49 * hour, "2 days"],
])("formats %d ms as %s", (ms, words) => {
	expect(duration(ms)).toBe(words);
});

test.each([
	[59 * second, "59 s"],
	[90 * second, "2 min"],
	[hour - second, "60 min"],
	[1.5 * hour, "90 min"],
	[24 * hour - second, "24 h"],
	[48 * hour - second, "48 h"],
	[30 * 24 * hour - second, "30 days"],
	[29.4 * 24 * hour, "29 days"],
])("formats %d remaining ms as %s", (ms, words) => {
	expect(timeLeft(ms)).toBe(words);
});

test("formats a recent or future time as just now", () => {
	expect(timeAgo(100 * second, 130 * second)).toBe("just now");
	expect(timeAgo(130 * second, 100 * second)).toBe("just now");
	expect(timeAgo(0, 5 * hour)).toBe("5 h ago");
});
