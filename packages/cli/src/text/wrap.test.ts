import { expect, test } from "vitest";
import { flowText, splitGraphemes, widthOf, wrapText } from "./wrap.ts";

test.each([
	["a short line", "one two", 10, ["one two"]],
	["a line as wide as the terminal", "0123456789", 10, ["0123456789"]],
	["at blanks", "one two three four", 10, ["one two", "three four"]],
	["a word that is too long", "see 0123456789abcdef now", 10, ["see", "0123456789", "abcdef now"]],
	["lines and empty lines", "one\n\ntwo", 10, ["one", "", "two"]],
	["indented text under its indentation", "  - one two three", 10, ["  - one", "  two", "  three"]],
	["tabs", "\tx", 10, ["    x"]],
	["blanks at the break", "one        two", 6, ["one", "two"]],
	["wide characters", "日本語のテキスト", 10, ["日本語のテ", "キスト"]],
	["wide characters behind a word", "see 日本語のテキスト", 10, ["see 日本語", "のテキスト"]],
	["punctuation stays with its character", "日本語のあ。い", 10, ["日本語の", "あ。い"]],
	["emoji", "👩‍💻👩‍💻👩‍💻👩‍💻", 6, ["👩‍💻👩‍💻👩‍💻", "👩‍💻"]],
	["an odd number of columns", "日本語", 5, ["日本", "語"]],
])("wraps %s", (_, text, columns, rows) => {
	expect(wrapText(text, columns)).toEqual(rows);
});

test("limits rows to the width of the terminal, and keeps every word", () => {
	const text = `The quick brown fox ${"x".repeat(50)} jumps 飛び越える over 👩‍👩‍👧 the lazy dog.`;
	for (let columns = 10; columns < 60; columns++) {
		const rows = wrapText(text, columns);
		expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
		expect(rows.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
	}
});

test("wraps streamed text like complete text", () => {
	const text = "one two three\n  four five  six seven\n\n日本語のテキスト eight nine ten eleven";
	const rows: string[] = [];
	let last = "";
	for (const piece of splitGraphemes(text)) {
		const flow = flowText(last, piece, 12);
		rows.push(...flow.rows);
		last = flow.last;
	}
	expect([...rows, last]).toEqual(wrapText(text, 12));
});
