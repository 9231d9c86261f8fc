import { expect, test } from "vitest";
import { createStyles } from "../../text/styles.ts";
import { widthOf } from "../../text/wrap.ts";
import { codeRows, markdownRows } from "./markdown-rows.ts";

const plain = { columns: 40, styles: createStyles(false) };
const coloured = { columns: 40, styles: createStyles(true) };

const text = `# Title with **bold**

A paragraph with \`code\`, *stress* and a [link](https://example.com/a).

1. first
2. second, which is longer than one row of the terminal
   - nested
- [x] done

> quoted text

| name | size |
| --- | --- |
| one | 1 |

---`;

test("lays out each kind of block, with the marks of styles that colours would show", () => {
	expect(markdownRows(text, plain)).toMatchInlineSnapshot(`
		[
		  "# Title with **bold**",
		  "",
		  "A paragraph with \`code\`, *stress* and a",
		  "link (https://example.com/a).",
		  "1. first",
		  "2. second, which is longer than one row",
		  "   of the terminal",
		  "   • nested",
		  "• [x] done",
		  "│ quoted text",
		  "name  size",
		  "one   1",
		  "────────────────────────────────────────",
		]
	`);
});

test("shows styles by escape sequences", () => {
	expect(markdownRows("**a** `b` *c* ~~d~~", coloured)).toEqual([
		"\u001b[1ma\u001b[22m \u001b[36mb\u001b[39m \u001b[3mc\u001b[23m \u001b[9md\u001b[29m",
	]);
});

test("styles both rows of a wrapped part", () => {
	expect(markdownRows("one **two three** four", { ...coloured, columns: 8 })).toEqual([
		"one \u001b[1mtwo\u001b[22m",
		"\u001b[1mthree\u001b[22m",
		"four",
	]);
});

test("shows the address of a link, unless the text is the address", () => {
	expect(
		markdownRows("[bank](https://evil.test) <https://a.test> www.b.test", { ...plain, columns: 90 }),
	).toEqual(["bank (https://evil.test) https://a.test www.b.test"]);
});

test("colours code of a known language, and only that", () => {
	expect(codeRows('const a = "b"; // c', "ts", coloured)).toEqual([
		'  \u001b[35mconst\u001b[39m a = \u001b[32m"b"\u001b[39m; \u001b[2m// c\u001b[22m',
	]);
	expect(codeRows("const a", "unknown", coloured)).toEqual(["  const a"]);
	expect(codeRows("const a", "ts", plain)).toEqual(["  const a"]);
});

test("shows a table that is too wide as a list", () => {
	const wide = "| name | text |\n| --- | --- |\n| one | some longer text |\n| two | b |";
	expect(markdownRows(wide, { ...plain, columns: 16 })).toEqual([
		"name: one",
		"text: some",
		"longer text",
		"",
		"name: two",
		"text: b",
	]);
});

test("limits rows to the width of the terminal", () => {
	const code = "```ts\nconst longer = 'than the width of this terminal';\n\tdeep\n```";
	for (let columns = 12; columns <= 300; columns += 7) {
		const rows = markdownRows(`${text}\n\n${code}\n\n日本語のテキスト 👩‍💻`, { ...plain, columns });
		expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
	}
});

test.each([
	["a&#13;b", "a\\u{d}b"],
	["a&#x202e;b", "a\\u{202e}b"],
	["a&ZeroWidthSpace;&rlm;b", "a\\u{200b}\\u{200f}b"],
	["# a&#12;b", "# a\\u{c}b"],
	["[a&#x2066;](https://a.test/&#13;)", "a\\u{2066} (https://a.test/\\u{d})"],
	["| a&#13; | b |\n| --- | --- |", "a\\u{d}  b"],
])("shows unsafe characters of references: %j", (markdown, row) => {
	expect(markdownRows(markdown, plain)).toEqual([row]);
});

test("the address of a link is visible in a table too", () => {
	const link = "[safe](https://a.test/)";
	const wide = { ...plain, columns: 60 };
	expect(markdownRows(`| ${link} | **b** |\n| --- | --- |\n| c | ${link} |`, wide)).toEqual([
		"safe (https://a.test/)  **b**",
		"c                       safe (https://a.test/)",
	]);
	expect(markdownRows(`| a |\n| --- |\n| some words ${link} |`, { ...plain, columns: 20 })).toEqual([
		"a: some words safe",
		"(https://a.test/)",
	]);
});
