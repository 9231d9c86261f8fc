import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { findNearestLines } from "./nearest-lines.ts";

const text = [
	"function plant(bean) {",
	"\tconst hole = dig(bean.size);",
	"\tif (hole.deep) {",
	"\t\tdrop(bean, hole);  ",
	"\t}",
	"}",
	"",
	"function water() {",
	"\treturn pour(can);",
	"}",
].join("\n");

test.each<[requested: string, first: number, last: number, difference: string]>([
	["    const hole = dig(bean.size);", 2, 2, "line 2 is indented with 1 tab, not with 4 spaces"],
	["const hole = dig(bean.size);\nif (hole.deep) {", 2, 3, "line 2 is indented with 1 tab, not with nothing"],
	["\t\tdrop(bean, hole);\n\t}", 4, 5, "line 4 ends with 2 spaces, not with nothing"],
	["\tif (hole.deep) {\r", 3, 3, "line 3 ends with nothing, not with 1 carriage return"],
	[
		"\tconst  hole = dig(bean.size);",
		2,
		2,
		'line 2 has different white space or look-alike characters: it is "\\u{9}const hole = dig(bean.size);", not "\\u{9}const  hole = dig(bean.size);"',
	],
	[
		"function water() {\n\treturn pour(jug);\n}",
		8,
		10,
		'line 9 is "\\u{9}return pour(can);", not "\\u{9}return pour(jug);"',
	],
	["\treturn pour(can);\n}\n\nmore();", 9, 10, "the file ends with line 10"],
	["\n\n\treturn pour(can);\n}\n\n", 9, 10, "the lines occur, but the text before or after them differs"],
	["\tconst hole = digg(beans.size)", 2, 2, expect.stringMatching(/^line 2 is ".*", not ".*"$/)],
])("%j is nearest to lines %i to %i", (requested, first, last, difference) => {
	const lines = text.split("\n").slice(first - 1, last);
	expect(findNearestLines(text, requested)).toEqual({ first, last, lines, difference });
});

test("similar quotes and spaces are found", () => {
	expect(findNearestLines("say(\u{201c}it\u{2019}s\u{a0}late\u{201d})", 'say("it\'s late")')).toMatchObject({
		first: 1,
		difference: expect.stringContaining('look-alike characters: it is "say(\u{201c}it\u{2019}s\\u{a0}late'),
	});
});

test("lines at the beginning are found although the first requested line is missing", () => {
	expect(findNearestLines("two\nthree", "one\ntwo\nthree")).toMatchObject({ first: 1, last: 2 });
});

test.each([
	["", "x"],
	["abc\ndef", "nothing like it"],
	["abc", " \n\t\n"],
	["abc", "x".repeat(3_000)],
])("no lines of %j are near %j", (content, requested) => {
	expect(findNearestLines(content, requested)).toBeUndefined();
});

test(
	"large texts of few different lines are fast",
	() => {
		const lines = "}\n".repeat(128 * 1024);
		expect(findNearestLines(lines, `x\n${"}\n".repeat(1_000)}y`)).toBeDefined();
		expect(findNearestLines(`${"ab ".repeat(600)}\n`.repeat(140), `${"ab ".repeat(600)}x`)).toBeDefined();
	},
	paced(3_000),
);
