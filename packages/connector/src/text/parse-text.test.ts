import { expect, test } from "vitest";
import type { Block } from "./document.ts";
import { markdownDialect } from "./markdown-dialect.ts";
import { parseText } from "./parse-text.ts";

function blocks(markdown: string): readonly Block[] {
	return parseText(markdown).blocks;
}

function words(value: string): Block {
	return { type: "paragraph", children: [{ type: "text", value }] };
}

function roundTrip(markdown: string): string {
	return markdownDialect.write(blocks(markdown));
}

test("the text of a model is parsed to blocks and inlines", () => {
	expect(blocks("## A *b*\n\n3. c\n4. [x] d `e`")).toEqual([
		{
			type: "heading",
			depth: 2,
			children: [
				{ type: "text", value: "A " },
				{ type: "emphasis", children: [{ type: "text", value: "b" }] },
			],
		},
		{
			type: "list",
			ordered: true,
			start: 3,
			children: [
				{ type: "listItem", checked: undefined, children: [words("c")] },
				{
					type: "listItem",
					checked: true,
					children: [
						{
							type: "paragraph",
							children: [
								{ type: "text", value: "d " },
								{ type: "inlineCode", value: "e" },
							],
						},
					],
				},
			],
		},
	]);
});

test("a fence that was never closed is closed at the end", () => {
	expect(roundTrip("a\n\n```ts\nconst b = 1;\n")).toBe("a\n\n```ts\nconst b = 1;\n```");
	expect(roundTrip("- a\n  ~~~\n  ```\n  b")).toBe("- a\n\n  ````\n  ```\n  b\n  ````");
});

test("HTML is text", () => {
	expect(blocks('<div onclick="a">b</div> <!-- c -->')).toEqual([
		words('<div onclick="a">b</div> <!-- c -->'),
	]);
});

test.each([
	["a\n---", "a\n\n---"],
	["[a] is\n\n[a]: https://b.example", "\\[a] is\n\n\\[a]: <https://b.example>"],
	["a[^1]\n\n[^1]: b", "a\\[^1]\n\n\\[^1]: b"],
])("later text does not change earlier text: %j", (markdown, written) => {
	expect(blocks(markdown)[0]).toEqual(blocks(markdown.slice(0, markdown.indexOf("\n")))[0]);
	expect(roundTrip(markdown)).toBe(written);
});

test("an image is a link with its description", () => {
	expect(roundTrip("![a cat](https://a.example/c.png)")).toBe("[a cat](https://a.example/c.png)");
	expect(roundTrip("![](https://a.example/c.png)")).toBe("<https://a.example/c.png>");
});

test("an address that is too long, or not a web or mail address, is shown as text", () => {
	expect(blocks("[a](javascript:b)").map(merged)).toEqual([words("a (javascript:b)")]);
	const long = `https://a.example/${"b".repeat(1000)}`;
	expect(blocks(`[a](${long})`).map(merged)).toEqual([words(`a (${long})`)]);
});

function merged(block: Block): Block {
	if (block.type !== "paragraph") return block;
	return words(block.children.map((child) => ("value" in child ? child.value : "?")).join(""));
}

test("quotes and lists that are nested too deeply become plain text with all words", () => {
	expect(roundTrip(`${"> ".repeat(20)}a`)).toBe(`${"> ".repeat(8)}a`);
	expect(blocks(`${">".repeat(100_000)}a`)).toEqual([words(`${">".repeat(100_000)}a`)]);
});

test("a text with more marks than words is read as plain text, and one of megabytes is not parsed", () => {
	const marks = "*a **b [".repeat(2000);
	expect(blocks(marks)).toEqual([words(marks.trim())]);
	const large = "**a**\n\n".repeat(100_000);
	expect(blocks(large)).toEqual([words(large)]);
});

test("code with many marks does not change the styles of the text around it", () => {
	const code = `\`\`\`\n${"a[0] *= b_c;\n".repeat(2000)}\`\`\``;
	expect(blocks(`**a**\n\n${code}\n\n**b**`).map((block) => block.type)).toEqual([
		"paragraph",
		"code",
		"paragraph",
	]);
	expect(blocks(`${code}\n**b**`)[1]).toEqual({
		type: "paragraph",
		children: [{ type: "strong", children: [{ type: "text", value: "b" }] }],
	});
});
