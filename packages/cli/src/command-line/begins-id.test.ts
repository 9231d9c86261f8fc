import { expect, test } from "vitest";
import { beginsId, requireLongId } from "./ids.ts";

test.each([
	["task_abcdef", "task_abcd", true],
	["task_abcdef", "abcd", true],
	["task_abcdef", "task_abc", false],
	["task_abcdef", "task_", false],
	["task_abcdef", "task", false],
	["task_abcdef", "abc", false],
	["task_abcdef", "bcde", false],
	["task_abcdef", "", false],
	["task_abc", "task_abc", true],
	["0a1b2c3d-0000-4000-8000-000000000000", "0a1b", true],
])("compares the id %s with the abbreviation %j: %s", (id, given, isSelected) => {
	expect(beginsId(id, given)).toBe(isSelected);
});

test("rejects a text that is too short for an id", () => {
	for (const given of ["", "t", "task_", "task_abc", "abc"]) {
		expect(() => requireLongId(given)).toThrow("is too short for an id: use at least 4 characters");
	}
	for (const given of ["task_abcd", "abcd"]) expect(() => requireLongId(given)).not.toThrow();
});
