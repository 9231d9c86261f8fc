import { type Block, parseText } from "@parley/connector";
import { expect, test } from "vitest";
import { bodyBlocks } from "./body-blocks.ts";
import { slackDialect } from "./dialect.ts";
import { momentMarkdown } from "./moments.ts";

const j = "\u2060";

function written(markdown: string): string {
	return slackDialect.write(parseText(markdown).blocks);
}

function paragraph(value: string): Block {
	return { type: "paragraph", children: [{ type: "text", value }] };
}

test.each([
	["## A **b** #", "## A **b**"],
	["# About C\\#", `# About C#${j}`],
	["**a** _b_ ~~c~~ `d`", "**a** *b* ~~c~~ `d`"],
	["*un*frigging", "*un*frigging"],
	["***a***", `*${j}**a**${j}*`],
	["~~a~~*b*", `~~a~~${j}*b*`],
	["_a **b** c_", "*a **b** c*"],
	["`` a`b ``", "``a`b``"],
	["snake_case and _under_", "snake_case and *under*"],
	["https://j.example/a_b?c=1&d=2.", "<https://j.example/a_b?c=1&d=2>."],
	["[h](https://j.example/?k=(1)&l_m=2)", "[h](https://j.example/?k=%281%29&l_m=2)"],
	["[mail](mailto:a_b@c.example)", "[mail](mailto:a_b@c.example)"],
	["> a\n>\n> > b", "> a\n>\n> > b"],
	["> # a", "> **a**"],
	["1. a\n2. b\n   - [x] c\n   - [ ] d", "1. a\n2. b\n   - [x] c\n   - [ ] d"],
	["- a\n\n  ```ts\n  b\n\n  c\n  ```\n- d", "- a\n\n  ```ts\n  b\n\n  c\n  ```\n- d"],
	["1. a\n\n1) b", "1. a\n\n1) b"],
	["a  \nb", "a  \nb"],
	["---", "---"],
	["````\n```\na`````\n````", "``````\n```\na`````\n``````"],
	["| a | b |\n|-|-|\n| 1 \\| 2 | `c` |", "| a | b |\n| - | - |\n| 1 \\| 2 | `c` |"],
])("%j is written as %j, and the result does not change again", (markdown, expected) => {
	expect(written(markdown)).toBe(expected);
	expect(written(written(markdown))).toBe(written(markdown));
});

test("a link shows its address", () => {
	expect(written("[https://bank.example](https://k.example)")).toBe(
		"https\\://bank.example (<https://k.example>)",
	);
	expect(written("![](https://j.example/a|b.png)")).toBe(
		"[https\\://j.example/a|b.png](https://j.example/a%7Cb.png)",
	);
});

test.each([
	[
		"<!channel> <@U1> <#C1> <https://a.example|b>",
		"&lt;!channel&gt; &lt;@U1&gt; &lt;#C1&gt; &lt;https\\://a.example|b&gt;",
	],
	["a & b &lt;!here&gt;", "a &amp; b &amp;lt;!here&amp;gt;"],
	["**a** __b__ ~~c~~ `d` \\", "\\*\\*a\\*\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~ \\`d\\` \\\\"],
	["# a\n- b\n+ c\n1. d\n2) e\n| f\n:-", "\\# a  \n\\- b  \n\\+ c  \n1\\. d  \n2\\) e  \n\\| f  \n\\:-"],
	["[a](https://b.example)", "\\[a\\](https\\://b.example)"],
	[":smile: 12:30:45 :+1:", `:${j}smile: 12:${j}30:45 :${j}+1:`],
	["a - b, 3 > 2, 1.5 snake_case @here", "a - b, 3 &gt; 2, 1.5 snake_case @here"],
	["    a\u001fb\u0000", "ab"],
])("the text %j has no formatting", (text, expected) => {
	expect(slackDialect.write([paragraph(text)])).toBe(expected);
});

test.each([
	["`<!channel>`", "<!channel>", { code: true }],
	["`curl <https://a.example>`", "curl <https://a.example>", { code: true }],
	["```\n<@U123> <!here>\n```", "<@U123> <!here>", undefined],
	["```sh\ncurl -H 'x: <https:y>' |\n  sh\n```", "curl -H 'x: <https:y>' |\n  sh", undefined],
])("code %j pings no member, and copies exactly as the author wrote it", (markdown, text, style) => {
	const part = style === undefined ? "rich_text_preformatted" : "rich_text_section";
	const element = { type: "text", text, ...(style && { style }) };
	expect(bodyBlocks(written(markdown)).blocks).toEqual([
		{ type: "rich_text", elements: [{ type: part, elements: [element] }] },
	]);
});

test("code without Slack tokens stays Markdown", () => {
	const markdown = "`a < b, vector<int>, <!DOCTYPE html>`";
	expect(bodyBlocks(written(markdown)).blocks).toEqual([{ type: "markdown", text: markdown }]);
});

test("text around exact code keeps its form, and text before and after it stays Markdown", () => {
	const markdown = [
		"# Install",
		"1. run\n\n   ```sh\n   pipx install 'a @ <https://b.example>'\n   ```\n3. [x] **then** see [docs](https://c.example)\n   - `x`",
		"> quoted `<#C1>`",
		"`<!here>` ends the exact part",
		"done",
	].join("\n\n");
	const { blocks } = bodyBlocks(written(markdown));
	expect(blocks.map(({ type }) => type)).toEqual(["markdown", "rich_text", "markdown"]);
	const code = (text: string) => ({ type: "text", text, style: { code: true } });
	const plainText = (text: string) => ({ type: "text", text });
	expect(blocks[1]).toEqual({
		type: "rich_text",
		elements: [
			{
				type: "rich_text_section",
				elements: [
					...[plainText("1. "), plainText("run"), plainText("\n    ")],
					...[code("pipx install 'a @ <https://b.example>'"), plainText("\n2. ☑ ")],
					...[{ type: "text", text: "then", style: { bold: true } }, plainText(" see ")],
					...[{ type: "link", url: "https://c.example", text: "docs" }, plainText("\n    ")],
					...[plainText("• "), code("x")],
				],
			},
			{ type: "rich_text_quote", elements: [plainText("quoted "), code("<#C1>")] },
			{
				type: "rich_text_section",
				elements: [...[code("<!here>"), plainText(" ends the exact part")]],
			},
		],
	});
});

test("a past time is a date element in text and tables, and a token only in small text and notifications", () => {
	const at = Date.UTC(2026, 0, 1, 12);
	const token = "<!date^1767268800^{ago}|2026-01-01 12:00 UTC>";
	const date = { type: "date", timestamp: 1767268800, format: "{ago}", fallback: "2026-01-01 12:00 UTC" };
	const elements = [{ type: "text", text: "since " }, date];
	expect(bodyBlocks(written(`since ${momentMarkdown(at)}`))).toEqual({
		blocks: [{ type: "rich_text", elements: [{ type: "rich_text_section", elements }] }],
		text: `since ${token}`,
	});
	const small = slackDialect.small?.(written(momentMarkdown(at))) ?? "";
	expect(bodyBlocks(`a\n${small}`).blocks[1]).toEqual({
		type: "context",
		elements: [{ type: "mrkdwn", text: token }],
	});
	const { blocks } = bodyBlocks(written(`| a |\n|-|\n| ${momentMarkdown(at)} |`));
	expect(JSON.stringify(blocks)).toContain(JSON.stringify(date));
	expect(JSON.stringify(blocks)).not.toContain("<!date");
});

test.each([
	[0, "<!date^1767268800^{ago}|2026-01-01 12:00 UTC>"],
	[1, "in 1 s"],
	[119_000, "in 119 s"],
	[120_000, "in 2 min"],
	[3_599_000, "in 60 min"],
	[7_200_000, "in 2 h"],
	[86_399_000, "in 24 h"],
	[172_800_000, "in 2 days"],
	[7 * 86_400_000, "in 7 days"],
])("%i ms after the post, a time is a text, because Slack has no token for it", (ms, text) => {
	const at = Date.UTC(2026, 0, 1, 12);
	expect(bodyBlocks(written(momentMarkdown(at, at - ms))).text).toBe(text);
});
