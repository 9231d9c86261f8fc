import { expect, test } from "vitest";
import { shortId, shortIds } from "./ids.ts";

test("of an id its kind and a few characters are left", () => {
	expect(shortId("task_abcdefghij")).toBe("task_abcdef");
});

test("ids that begin alike keep as much as tells them apart", () => {
	const short = shortIds(["task_abcdefg1", "task_abcdefg2", "task_abcdefg2", "task_xyz"]);
	expect(short("task_abcdefg1")).toBe("task_abcdefg1");
	expect(shortIds(["task_abcdefg1"])("task_abcdefg1")).toBe("task_abcdef");
});
