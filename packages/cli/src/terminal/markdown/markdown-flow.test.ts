import { expect, test } from "vitest";
import { createStyles } from "../../text/styles.ts";
import { splitGraphemes } from "../../text/wrap.ts";
import { MarkdownFlow, PlainFlow } from "./markdown-flow.ts";

const format = { columns: 30, styles: createStyles(false) };

/**
 * Returns the rows of a text that arrives character by character, and the rows that were still open before the
 * end.
 */
function stream(text: string): { readonly rows: string[]; readonly open: string[] } {
	const flow = new MarkdownFlow();
	const rows = splitGraphemes(text).flatMap((part) => flow.add(part, format));
	const open = flow.open(format);
	return { rows: [...rows, ...flow.end(format)], open };
}

test.each([
	["paragraphs", "one\ntwo\n\n\nthree", ["one", "two", "", "three"]],
	["a tight list", "Steps:\n- a\n- b\n  - c\n- d", ["Steps:", "• a", "• b", "  • c", "• d"]],
	["a loose list", "1. a\n\n2. b\n\n   more", ["1. a", "", "2. b", "", "   more"]],
	["a heading", "# One\ntext\n## Two", ["# One", "text", "## Two"]],
	["code", "see\n\n```ts\nif (a)\n\n  b();\n```\n\nend", ["see", "", "  if (a)", "", "    b();", "", "end"]],
	["code without an end", "```\na\nb", ["  a", "  b"]],
	["code whose end is the last line", "```\na\n```", ["  a"]],
	["code in a list", "- a\n  ```sh\n  ls\n  ```\n- b", ["• a", "    ls", "• b"]],
	["a fence of another kind in code", "~~~\n```\n~~~\nend", ["  ```", "end"]],
	["blank rows at the beginning and at the end", "\n\na\n\n", ["a"]],
	["a mark without its end", "a **b", ["a **b"]],
])("prints %s", (_, text, rows) => {
	expect(stream(text).rows).toEqual(rows);
});

test("keeps the incomplete block open, and completes it in the right style", () => {
	const flow = new MarkdownFlow();
	const coloured = { columns: 30, styles: createStyles(true) };
	expect(flow.add("a **b", coloured)).toEqual([]);
	expect(flow.open(coloured)).toEqual(["a **b"]);
	expect(flow.add("** c\n\nd\n", coloured)).toEqual(["a \u001b[1mb\u001b[22m c"]);
	expect(flow.open(coloured)).toEqual(["", "d"]);
	expect(flow.end(coloured)).toEqual(["", "d"]);
});

test("prints code by lines, with the colours of the lines before them", () => {
	const flow = new MarkdownFlow();
	const coloured = { columns: 30, styles: createStyles(true) };
	flow.add("```ts\n/* one\n", coloured);
	expect(flow.add("two */\n", coloured)).toEqual(["  \u001b[2mtwo */\u001b[22m"]);
});

test("prints code after a change of the width without a loss", () => {
	const flow = new MarkdownFlow();
	flow.add("```\none two three four five six\n", { ...format, columns: 12 });
	expect(flow.add("seven\n", format)).toEqual(["  seven"]);
});

test("never holds back more than the maximum of a block", () => {
	const flow = new MarkdownFlow();
	const rows = Array.from({ length: 2_000 }, () => flow.add("some words, ", format)).flat();
	expect(rows.length).toBeGreaterThan(500);
	expect([...rows, ...flow.end(format)].join(" ").match(/some words,/g)).toHaveLength(2_000);
});

test("prints plain text a row at a time, without a change", () => {
	const flow = new PlainFlow();
	expect(flow.add("# a **b**\n  c", format)).toEqual(["# a **b**"]);
	expect(flow.open(format)).toEqual(["  c"]);
	expect(flow.end(format)).toEqual(["  c"]);
	expect(flow.open(format)).toEqual([]);
});

test("a line of code that is longer than the maximum of a block stays code", () => {
	const flow = new MarkdownFlow();
	const code = "a**b**c\\*".repeat(2_000);
	flow.add("```\n", format);
	const parts = Array.from({ length: 20 }, (_, part) => code.slice(part * 900, (part + 1) * 900));
	const rows = parts.flatMap((part) => flow.add(part, format));
	expect(rows.length).toBeGreaterThan(500);
	const all = [...rows, ...flow.add("\n```\nend", format), ...flow.end(format)];
	expect(all.map((row) => row.trim()).join("")).toBe(`${code}end`);
});

test("a block that takes long to read is not read again for a while, and is complete at its end", () => {
	let now = 0;
	// Each reading of the clock adds 10 ms, so parsing a block seems to take 10 ms.
	const flow = new MarkdownFlow(() => {
		now += 10;
		return now;
	});
	flow.add("one", format);
	expect(flow.open(format)).toEqual(["one"]);
	flow.add(" two", format);
	expect(flow.open(format)).toEqual(["one"]);
	expect(flow.open({ ...format, columns: 20 })).toEqual(["one two"]);
	now += 100;
	flow.add(" three", format);
	expect(flow.open(format)).toEqual(["one two three"]);
	expect(flow.add("\n\nnext\n\n", format)).toEqual(["one two three"]);
	expect(flow.open(format).at(-1)).toBe("next");
	flow.add("last", format);
	expect(flow.end(format).at(-1)).toBe("last");
});
