import { expect, test } from "vitest";
import { foldLevels } from "./list-files.ts";
import { boundedLines } from "./tree-files.ts";

const files = ["a", "b/c", "b/d/e", "b/d/f/g", "b/h", "i/j/k"];

test.each([
	[1, ["a", "b/ (4 files)", "i/ (1 file)"]],
	[2, ["a", "b/c", "b/d/ (2 files)", "b/h", "i/j/ (1 file)"]],
	[3, ["a", "b/c", "b/d/e", "b/d/f/ (1 file)", "b/h", "i/j/k"]],
	[9, files],
])("with %i levels, deeper files are only counted", (depth, lines) => {
	expect(foldLevels(files, depth)).toEqual(lines);
	expect(foldLevels([], depth)).toEqual([]);
});

test("lines are read as long as both limits allow", () => {
	const lines = ["one", "é", "three"];
	expect(boundedLines(lines, { count: 2, bytes: 100 })).toEqual(["one", "é"]);
	expect(boundedLines(lines, { count: 9, bytes: 13 })).toEqual(lines);
	expect(boundedLines(lines, { count: 9, bytes: 12 })).toEqual(["one", "é"]);
	expect(boundedLines(lines, { count: 9, bytes: 6 })).toEqual(["one"]);
	expect(boundedLines(lines, { count: 9, bytes: 0 })).toEqual([]);
});
