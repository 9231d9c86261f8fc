import { expect, test } from "vitest";
import { shortId, shortIds } from "./ids.ts";

test("shortens an id to its prefix and a few characters", () => {
	expect(shortId("task_abcdefghij")).toBe("task_abcdef");
});

test("keeps enough characters of similar ids to distinguish them", () => {
	const short = shortIds(["task_abcdefg1", "task_abcdefg2", "task_abcdefg2", "task_xyz"]);
	expect(short("task_abcdefg1")).toBe("task_abcdefg1");
	expect(shortIds(["task_abcdefg1"])("task_abcdefg1")).toBe("task_abcdef");
});
