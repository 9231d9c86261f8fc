import { expect, test } from "vitest";
import { editText, type TextChange } from "./edit-file.ts";

function edit(text: string, oldText: string, newText: string, selection: TextChange["selection"] = "only") {
	return editText(text, { oldText, newText, selection, maxLength: 1_000 });
}

test.each<[string, string, string, TextChange["selection"], string, number[]]>([
	["one two", "two", "2", "only", "one 2", [1]],
	["one two", "one ", "", "only", "two", [1]],
	["a\nb\nc\n", "b\nc", "x", "only", "a\nx\n", [2]],
	["a\nb\na\n", "a", "x", 1, "x\nb\na\n", [1]],
	["a\nb\na\n", "a", "x", 2, "a\nb\nx\n", [3]],
	["a\nb\na\n", "a", "aa", "all", "aa\nb\naa\n", [1, 3]],
	["aaaaa", "aa", "b", "all", "bba", [1, 1]],
	["x", "x", "$& $1 $$", "only", "$& $1 $$", [1]],
	["\u{feff}one\n", "one", "two", "only", "\u{feff}two\n", [1]],
])("%j with %j for %j (%s) becomes %j", (text, oldText, newText, ...[selection, expected, lines]) => {
	expect(edit(text, oldText, newText, selection)).toEqual({ kind: "edited", text: expected, lines });
});

test.each([
	["a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"],
	["a\r\nb\r\nc\r\n", "a\r\nb", "x\ny", "x\r\ny\r\nc\r\n"],
	["a\r\nb", "a", "x\r\ny", "x\r\ny\r\nb"],
	["a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"],
	["a\rb\n", "a\rb", "x\ry", "x\ry\n"],
	["one", "one", "x\r\ny", "x\r\ny"],
	["a\r\nb\nc", "b\nc", "x\ny", "a\r\nx\ny"],
])("the line ends of %j stay as they are when %j becomes %j", (text, oldText, newText, expected) => {
	expect(edit(text, oldText, newText)).toMatchObject({ text: expected });
});

test("with mixed line ends, only the exact text matches", () => {
	expect(edit("a\r\nb\nc", "a\nb", "x")).toEqual({ kind: "not-one", lines: [] });
	expect(edit("a\r\nb\nc", "a\r\nb", "x")).toMatchObject({ text: "x\nc" });
});

test("a text that does not occur exactly once is not changed, and its lines are returned", () => {
	expect(edit("a\nb\na\n", "x", "y")).toEqual({ kind: "not-one", lines: [] });
	expect(edit("a\nb\na\n", "a", "y")).toEqual({ kind: "not-one", lines: [1, 3] });
	expect(edit("aaa", "aa", "y")).toEqual({ kind: "not-one", lines: [1, 1] });
	expect(edit("a\nb\na\n", "a", "y", 3)).toEqual({ kind: "not-one", lines: [1, 3] });
	expect(edit("", "a", "y", "all")).toEqual({ kind: "not-one", lines: [] });
});

test("a text that would be too long is not created", () => {
	const change = {
		oldText: "a",
		newText: "b".repeat(256 * 1024),
		selection: "all",
		maxLength: 1_000,
	} as const;
	expect(editText("a".repeat(256 * 1024), change)).toEqual({ kind: "too-long" });
	expect(edit("a".repeat(10), "a", "b".repeat(100), "all")).toMatchObject({ kind: "edited" });
	expect(edit("a".repeat(10), "a", "b".repeat(101), "all")).toEqual({ kind: "too-long" });
});
