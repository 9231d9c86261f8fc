import { fitPosts, parseText } from "@parley/connector";
import { expect, test } from "vitest";
import { discordDialect, momentMarkdown, personMarkdown, roleMarkdown } from "./dialect.ts";
import { lengthOf } from "./vocabulary/limits.ts";

function written(markdown: string): string {
	return discordDialect.write(parseText(markdown).blocks);
}

function asText(value: string): string {
	return discordDialect.write([{ type: "paragraph", children: [{ type: "text", value }] }]);
}

test.each([
	["## A **b** #", "## A **b**"],
	["# About C\\#", "# About C#\u2060"],
	["#### a **b** [c](https://d.example)", "**a b [c](https://d.example)**"],
	["**a** _b_ ~~c~~ `d`", "**a** _b_ ~~c~~ `d`"],
	["*un*frigging", "_un_\u2060frigging"],
	["_a **b** c_", "_a **b** c_"],
	["*a _b_ c*", "_a b c_"],
	["***a***", "_**a**_"],
	["~~a~~*b*", "~~a~~\u2060_b_"],
	["`` a`b ``", "`` a`b ``"],
	["[h](https://j.example/?k=(1)&l_m=2)", "[h](https://j.example/?k=%281%29&l_m=2)"],
	["https://j.example/a_b.", "<https://j.example/a_b>."],
	["[see j.example/a_b](https://k.example)", "see j.example/a\\_b (<https://k.example>)"],
	["[https://bank.example](https://k.example)", "https\\://bank.example (<https://k.example>)"],
	["![](https://j.example/a.png)", "<https://j.example/a.png>"],
	["[mail](mailto:a_b@c.example)", "mail (a\\_b\\@c.example)"],
	["> a\n>\n> > b", "> a\n> \n> b"],
	["1. # a\n2. b\n   - [x] c\n   - [ ] d", "1. **a**\n2. b\n   - ☑ c\n   - ☐ d"],
	["---", "———"],
	["```c#\na\n```", "```cs\na\n```"],
	["````\n```\na`````\n````", "```\n``\u2060`\na``\u2060``\u2060`\n```"],
	["```ts\n```", "```ts\n\u200b\n```"],
])("%j is written as %j", (markdown, expected) => {
	expect(written(markdown)).toBe(expected);
});

test("a table is aligned code, and counts wide characters twice", () => {
	const table = written("| a | 名前 |\n|-|-|\n| 名 | b |");
	expect(table).toBe(["```", "a  | 名前", "---|-----", "名 | b", "```"].join("\n"));
});

test.each([
	["@everyone <@1> <@&2> <#3>", "\\@everyone \\<\\@1> \\<\\@&2> \\<#3>"],
	["**a** __b__ ||c|| ~~d~~ `e` \\", "\\*\\*a\\*\\* \\_\\_b\\_\\_ \\|\\|c\\|\\| \\~\\~d\\~\\~ \\`e\\` \\\\"],
	["# a\n-# b\n> c\n  - d\n1. e\n+ f", "\\# a\n\\-# b\n\\> c\n  \\- d\n1\\. e\n\\+ f"],
	["[a](https://b.example)", "\\[a\\](https\\://b.example)"],
	["<t:1:R> <:a:1> :smile:", "\\<t\\:1:R> \\<\\:a:1> \\:smile:"],
	["a - b, 3 > 2, 1.5 #4 C:\\new", "a - b, 3 > 2, 1.5 #4 C:\\\\new"],
])("the text %j has no formatting", (text, expected) => {
	expect(asText(text)).toBe(expected);
});

test("a person and a time are shown in Discord's form, and are never cut", () => {
	const at = Date.UTC(2026, 0, 1, 12);
	const markdown = `${personMarkdown("42")} by ${momentMarkdown(at)}`;
	expect(written(markdown)).toBe("<@42> by <t:1767268800:R>");
	expect(written(`| a |\n|-|\n| ${momentMarkdown(at)} |`)).toContain("2026-01-01 12:00 UTC");
	expect(discordDialect.small?.(written(personMarkdown("42")))).toBe("-# <@42>");
	expect(written(`${roleMarkdown("43")} or ${personMarkdown("42")}`)).toBe("<@&43> or <@42>");
	expect(written("<@42> <@&43> <t:1767268800:f>")).not.toMatch(/(?<!\\)</);
});

/** Pattern of an unescaped delimiter of Discord's Markdown. */
const live = /(?<!\\)(?:\\\\)*[*_~`|<[@]/;

const pieces = [
	...[
		"*",
		"_",
		"~~",
		"`",
		"|",
		"<",
		"@everyone",
		"<@1>",
		"[a](b)",
		"\\",
		"a",
		" ",
		"\n",
		"# ",
		"-# ",
		"> ",
		"1. ",
	],
	...["😀", "名", "https://a.example", ":a:"],
];
const triples = pieces.flatMap((a) => pieces.flatMap((b) => pieces.map((c) => a + b + c)));

test("no text has active formatting, and only escapes are added", () => {
	for (const value of triples) {
		const shown = asText(value);
		expect(shown).not.toMatch(live);
		expect(shown).not.toMatch(/^[ \t]*(?:#{1,3}\s|-#|>|[-+]\s|\d+\.)/m);
		expect(shown).not.toMatch(/https?:\/\/|(?<!\\):\w+:/);
		expect(shown.replace(/\\([^A-Za-z0-9\s])/g, "$1")).toBe(value);
	}
});

test("posts fit Discord's limit, and no part of a long text is lost", () => {
	const words = ["word", "**bold**", "`code`", "名前", "😀😀", "@everyone", "a_b_c", "\n\n", "\n- item "];
	const text = triples.map((_, index) => words[(index * index + index) % words.length]).join(" ");
	const { posts } = fitPosts(parseText(text), { dialect: discordDialect, limit: 200, maxPosts: 1000 });
	expect(posts.length).toBeGreaterThan(100);
	for (const post of posts) expect(lengthOf(post)).toBeLessThanOrEqual(200);
	const letters = (shown: string): string => shown.replace(/[^a-z😀名前]/gu, "");
	expect(letters(posts.join(""))).toBe(letters(text));
});
