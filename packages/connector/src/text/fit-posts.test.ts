import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { chatDialect } from "../testing/chat-dialect.ts";
import { type Fitted, fitPosts } from "./fit-posts.ts";
import { markdownDialect } from "./markdown-dialect.ts";
import { parseText } from "./parse-text.ts";

function fitted(markdown: string, limit: number, maxPosts = 100): Fitted {
	return fitPosts(parseText(markdown), { dialect: markdownDialect, limit, maxPosts });
}

function posts(markdown: string, limit: number): readonly string[] {
	return fitted(markdown, limit).posts;
}

test("a text that fits is one post, and an empty text has no post", () => {
	expect(fitted("# a\n\nb", 100)).toEqual({ posts: ["# a\n\nb"] });
	expect(fitted(" \n\n ", 100)).toEqual({ posts: [] });
});

test("a text is split between blocks, and a heading stays with its section", () => {
	expect(posts("one two three\n\nfour five six\n\n## seven\n\neight nine", 40)).toEqual([
		"one two three\n\nfour five six",
		"## seven\n\neight nine",
	]);
});

test("a paragraph is split between sentences, then between words", () => {
	expect(posts("One two three. Four five six. Seven.", 30)).toEqual([
		"One two three. Four five six.",
		"Seven.",
	]);
	expect(posts("one two three four five six seven", 20)).toEqual(["one two three four", "five six seven"]);
	expect(posts("你好世界。我们今天去公园散步。天气很好。", 10)).toEqual([
		"你好世界。",
		"我们今天去公园散步。",
		"天气很好。",
	]);
});

test("a word that does not fit a post is split between visible characters", () => {
	const family = "👩‍👩‍👧‍👦";
	expect(posts(family.repeat(5), 25)).toEqual([family.repeat(2), family.repeat(2), family]);
	expect(posts("e\u0301".repeat(15), 11)).toEqual([
		"e\u0301".repeat(5),
		"e\u0301".repeat(5),
		"e\u0301".repeat(5),
	]);
});

test("styles are closed and opened again, and links and code spans are not divided", () => {
	expect(posts("a **b _c d e f g_ h** i", 12)).toEqual(["a **b _c_**", "**_d e f_**", "**_g_ h** i"]);
	expect(posts("one `two three` four [five six](https://a.example) seven", 40)).toEqual([
		"one `two three` four",
		"[five six](https://a.example) seven",
	]);
	expect(posts("aaaa bbbb [one two](https://a.b)", 30)).toEqual(["aaaa bbbb", "[one two](https://a.b)"]);
	expect(posts("aaaa bbbb `one two three`", 20)).toEqual(["aaaa bbbb", "`one two three`"]);
	expect(posts(`\`${"ab ".repeat(12)}\``, 20).map((post) => [post.at(0), post.at(-1)].join(""))).toEqual([
		"``",
		"``",
	]);
});

test("code is closed and opened again with its language, and keeps every line", () => {
	expect(posts("```ts\na();\n\n\n  b();\n\ncc();\n```", 29)).toEqual([
		"```ts\na();\n\n\n  b();\n\n```",
		"_continued_\n\n```ts\ncc();\n```",
	]);
	expect(posts("````md\n```js\na();\n```\nbbbbbbbbbb\n````", 34)).toEqual([
		"````md\n```js\na();\n```\n````",
		"_continued_\n\n```md\nbbbbbbbbbb\n```",
	]);
});

test("a list continues with its number, and the rest of an item has no bullet", () => {
	expect(posts("8. one two\n9. three four five six\n   seven eight\n10. nine ten", 30)).toEqual([
		"8. one two\n9. three four five",
		"six\nseven eight\n\n10. nine ten",
	]);
});

test("a table has its header in every post", () => {
	expect(posts("| a | b |\n|-|-|\n| one | two |\n| three | four |\n| five | six |", 50)).toEqual([
		"| a | b |\n| - | - |\n| one | two |\n| three | four |",
		"| a | b |\n| - | - |\n| five | six |",
	]);
});

test("a header that fills a post by itself is not repeated", () => {
	const family = "👩‍👩‍👧‍👦".repeat(31);
	const split = posts(`| a | ${family} |\n|-|-|\n| b | c |\n| d | ${family} |`, 300);
	expect(split.join("").split("👩‍👩‍👧‍👦")).toHaveLength(63);
	expect(split.every((post) => post.length <= 300)).toBe(true);
	expect(split.join("\n")).toMatch(/b.*c.*d/s);
});

test("a table that is too wide becomes a list", () => {
	const wide = "| Name | Notes |\n|-|-|\n| one | a note that is longer than forty columns |\n| two | short |";
	expect(fitPosts(parseText(wide), { dialect: chatDialect, limit: 400, maxPosts: 9 }).posts).toEqual([
		"• *Name:* one\n  *Notes:* a note that is longer than forty columns\n• *Name:* two\n  *Notes:* short",
	]);
	const narrow = "| 名前 | n |\n|-|-|\n| a | 1 |";
	expect(fitPosts(parseText(narrow), { dialect: chatDialect, limit: 400, maxPosts: 9 }).posts).toEqual([
		"```\n名前 | n\n-----|--\na    | 1\n```",
	]);
});

test("a text that is too long becomes a post with a note, and a file with the complete text", () => {
	const text = "One two three. ".repeat(30);
	const { posts: heads, file } = fitted(text, 100, 3);
	expect(heads).toEqual([
		"One two three. One two three. One two three. One two three.\n\n_The complete text is in answer.md._",
	]);
	expect(file).toEqual({ name: "answer.md", content: text });
});

test("posts are measured in the units of the dialect", () => {
	const text = "<&> ".repeat(20).trim();
	const { posts: escaped } = fitPosts(parseText(text), { dialect: chatDialect, limit: 60, maxPosts: 100 });
	expect(escaped.map((post) => [...post].length)).toEqual([55, 55, 55, 55, 55]);
});

test("a post fits its limit also if a longer text measures less", () => {
	const measure = (written: string): number => written.length + (written.endsWith("two") ? 10 : 0);
	const { posts: remaining } = fitPosts(parseText("one two ".repeat(50)), {
		dialect: { ...markdownDialect, measure },
		limit: 41,
		maxPosts: 100,
	});
	expect(remaining.every((post) => measure(post) <= 41)).toBe(true);
});

test("an empty last line of code is a line", () => {
	expect(posts("```\naaaaaaa\nbbbbb\n\n```", 21)).toEqual([
		"```\naaaaaaa\nbbbbb\n```",
		"_continued_\n\n```\n```",
	]);
});

test("a limit without space for a character is refused", () => {
	expect(() => posts("a b c d e f g", 0)).toThrow("raise the limit");
});

test("a table with cells that are longer than a post is split between words", () => {
	const cell = fc.nat(500).map((length) => length + 1);
	const row = fc.tuple(cell, cell, cell);
	fc.assert(
		fc.property(
			fc.array(row, { minLength: 1, maxLength: 3 }),
			fc.constantFrom(markdownDialect, chatDialect),
			fc.constantFrom(1000, 2000, 3000),
			(lengths, dialect, limit) => {
				let count = 0;
				const rows = lengths.map((cells) =>
					cells.map((length) => Array.from({ length }, () => `w${++count}x`).join(" ")),
				);
				// `fitPosts` decides by the first rows whether a table becomes a list.
				const lines = [
					"one | two | three",
					"---|---|---",
					"a | b | c",
					"a | b | c",
					"a | b | c",
					...rows.map((cells) => cells.join(" | ")),
				];
				const { posts } = fitPosts(parseText(lines.join("\n")), { dialect, limit, maxPosts: 1000 });
				expect(posts.every((post) => dialect.measure(post) <= limit)).toBe(true);
				const found = posts.flatMap((post) => post.match(/\w*\d\w*/g) ?? []);
				expect(found).toEqual(Array.from({ length: count }, (_, index) => `w${index + 1}x`));
			},
		),
		{ numRuns: 8, endOnFailure: true },
	);
});
