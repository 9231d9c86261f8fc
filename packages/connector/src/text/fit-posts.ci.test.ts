import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { chatDialect } from "../testing/chat-dialect.ts";
import type { Dialect } from "./dialect.ts";
import { type Block, plainText, type TextNode } from "./document.ts";
import { continuedLabel, fitPosts } from "./fit-posts.ts";
import { markdownDialect } from "./markdown-dialect.ts";
import { parseText } from "./parse-text.ts";

const everyday = process.env["PARLEY_TEST_SCALE"] === undefined;
const isFull = process.env["PARLEY_TEST_SCALE"] === "full";
const numRuns = everyday ? 20 : isFull ? 30_000 : 25;
const longest = everyday ? 10_000 : isFull ? 200_000 : 100_000;
/**
 * Number of characters by which a text grows in each step. 13 and 89 divide no length of a row, so all positions in a
 * row are tested.
 */
const stride = everyday ? 89 : isFull ? 1 : 13;
// `endOnFailure` skips the shrinking of failing cases, because shrinking takes minutes. The printed seed reproduces
// a failing case.
const check = { numRuns, endOnFailure: true };

const dialects = fc.constantFrom(markdownDialect, chatDialect);

const word = fc.oneof(
	{ weight: 8, arbitrary: fc.stringMatching(/^[a-zA-Z0-9'.,:;!?-]{1,12}$/) },
	{ weight: 2, arbitrary: fc.stringMatching(/^[\u4e00-\u4fff\u3042-\u3093。、]{1,30}$/) },
	fc.constantFrom(
		"👩‍👩‍👧‍👦",
		"🏳️‍🌈",
		"👍🏽",
		"🇩🇪🇫🇷",
		"1️⃣",
		"e\u0301a\u0308",
		"क्षि",
		"한글",
		"שלום",
		"مرحبا",
		"a\u200bb",
		"\u200d",
		"\ufeff",
	),
	fc.constantFrom(
		"*",
		"**",
		"_",
		"`",
		"``",
		"[",
		"](",
		"~~",
		"\\",
		"&amp;",
		"<b>",
		"@everyone",
		"<@123>",
		"|",
		"#",
		">",
		"1.",
		"-",
	),
	fc.stringMatching(/^[a-z]{80,300}$/),
	fc.constant("👩‍👩‍👧‍👦").map((family) => family.repeat(30)),
);
const words = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(" "));
const few = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(" "));
const span = fc.oneof(
	words,
	few.map((text) => `**${text}**`),
	few.map((text) => `_a **${text}** b_`),
	few.map((text) => `~~${text}~~`),
	few.map((text) => `\`${text}\``),
	few.map((text) => `[${text}](https://example.com/a?b=c_d)`),
	few.map((text) => `![${text}](https://example.com/a.png)`),
	fc.webUrl(),
);
const line = fc.array(span, { minLength: 1, maxLength: 3 }).map((spans) => spans.join(" "));
const codeLine = fc.oneof(
	words,
	fc.constantFrom("", "", "\tif (a) {", "    b();", "```js", "~~~", "> a", "- b"),
);
const codeLines = fc.array(codeLine, { maxLength: 12 });
const fence = fc.constantFrom("`````", "~~~~~~", "``````");
const fenced = fc
	.tuple(fence, fc.constantFrom("", "ts", "c++", "a b c"), codeLines)
	.map(([mark, lang, lines]) => [mark + lang, ...lines, mark].join("\n"));
const cells = fc.array(few, { minLength: 3, maxLength: 3 }).map((texts) => texts.join(" | "));
const table = fc.tuple(cells, fc.array(cells, { maxLength: 8 })).map(([header, rows]) =>
	[header, "-|-|-", ...rows]
		.map((row) => `| ${row} |`)
		.join("\n")
		.replace("| -|", "|-|"),
);

const { block } = fc.letrec<{ block: string; list: string; quote: string }>((tie) => ({
	block: fc.oneof(
		{ depthSize: "small", withCrossShrink: true },
		fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n")),
		...[fenced, table, line.map((text) => `## ${text}`), fc.constantFrom("---", "<details>", "- ", ">", "")],
		...[
			fc.string({ unit: fc.constantFrom(..."*_`[]()<>#-+1.|~\\ \nab>"), maxLength: 80 }),
			tie("list"),
			tie("quote"),
		],
	),
	list: fc
		.tuple(fc.constantFrom("-", "*", "7.", "- [x]"), fc.array(tie("block"), { minLength: 1, maxLength: 5 }))
		.map(([marker, items]) => items.map((item) => indented(item, marker)).join("\n")),
	quote: tie("block").map((text) => text.replaceAll(/^/gm, "> ")),
}));
const markdown = fc
	.tuple(
		fc.array(block, { minLength: 1, maxLength: 5 }),
		fc.constantFrom("", "\n\n```ts\nopen", "\n\n**open `", "\n\n| a | b |\n|-"),
	)
	.map(([blocks, tail]) => blocks.join("\n\n") + tail);

function indented(text: string, marker: string): string {
	const indent = " ".repeat(marker.replace(" [x]", "").length + 1);
	return `${marker} ${text.replaceAll("\n", `\n${indent}`)}`;
}

function split(text: string, dialect: Dialect, limit: number): { post: string; blocks: readonly Block[] }[] {
	const written = new Map<string, readonly Block[]>();
	const spy: Dialect = {
		...dialect,
		write: (blocks) => {
			const post = dialect.write(blocks);
			written.set(post, blocks);
			return post;
		},
	};
	const { posts } = fitPosts(parseText(text), { dialect: spy, limit, maxPosts: Number.POSITIVE_INFINITY });
	return posts.map((post) => ({ post, blocks: written.get(post) ?? [] }));
}

/** Returns the texts of all leaves. Omits repeated table headers and labels of continued code. */
function leaves(nodes: readonly TextNode[], seen = new Set<TextNode>()): string[] {
	return nodes.flatMap((node) => {
		if (node === continuedLabel || (node.type === "tableRow" && seen.has(node))) return [];
		if (node.type === "tableRow") seen.add(node);
		if (node.type === "paragraph" || node.type === "heading" || node.type === "tableCell") {
			return [plainText(node.children)];
		}
		if ("value" in node) return [node.value];
		return "children" in node ? leaves(node.children, seen) : ["\n"];
	});
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function graphemes(texts: readonly string[]): string[] {
	return texts
		.flatMap((text) => [...segmenter.segment(text)].map(({ segment }) => segment.trim()))
		.filter((segment) => segment !== "");
}

function codes(nodes: readonly TextNode[]): string[] {
	return nodes.flatMap((node) =>
		node.type === "code" ? [node.value] : "children" in node ? codes(node.children) : [],
	);
}

function balanced(post: string): boolean {
	let open: string | undefined;
	for (const one of post.split("\n")) {
		const mark = /^(?:[\s>]|[-*+] |\d+[.)] )*(`{3,}|~{3,})([^`]*)$/.exec(one);
		if (open === undefined) open = mark?.[1];
		else if (mark?.[1]?.startsWith(open) === true && mark[2]?.trim() === "") open = undefined;
	}
	return open === undefined;
}

test("every post fits its limit and closes its fences, and all posts together contain every character in order", () => {
	fc.assert(
		fc.property(markdown, dialects, fc.constantFrom(300, 700, 2000), (text, dialect, limit) => {
			const posts = split(text, dialect, limit);
			for (const { post } of posts) {
				expect(dialect.measure(post)).toBeLessThanOrEqual(limit);
				expect(post.trim()).not.toBe("");
				expect(balanced(post)).toBe(true);
			}
			const allBlocks = split(text, dialect, Number.MAX_SAFE_INTEGER).flatMap(({ blocks }) => blocks);
			const seen = new Set<TextNode>();
			expect(posts.flatMap(({ blocks }) => graphemes(leaves(blocks, seen)))).toEqual(
				graphemes(leaves(allBlocks)),
			);
		}),
		check,
	);
});

test("code that is split keeps its lines", () => {
	const short = fc.array(
		fc.constantFrom("", "a();", "\tb();", "```", "~~~", "漢字 👩‍👩‍👧‍👦", "x".repeat(90)),
		{ maxLength: 60 },
	);
	fc.assert(
		fc.property(short, dialects, fc.boolean(), (lines, dialect, inList) => {
			const fenced = ["`````ts", ...lines, "`````"].join("\n");
			const posts = split(inList ? indented(fenced, "-") : fenced, dialect, 300);
			expect(posts.flatMap(({ blocks }) => codes(blocks)).join("\n")).toBe(lines.join("\n"));
		}),
		check,
	);
});

test("written Markdown is parsed to the same text", () => {
	fc.assert(
		fc.property(markdown, fc.constantFrom(300, 700, 2000), (text, limit) => {
			for (const { post, blocks } of split(text, markdownDialect, limit)) {
				expect(graphemes(leaves(parseText(post).blocks))).toEqual(graphemes(leaves(structuredClone(blocks))));
			}
		}),
		check,
	);
});

test("while a text grows, posts before its last two blocks do not change, except the last of them", () => {
	fc.assert(
		fc.property(markdown, dialects, fc.double({ min: 0, max: 1, noNaN: true }), (text, dialect, part) => {
			const options = { dialect, limit: 300, maxPosts: Number.POSITIVE_INFINITY };
			const early = parseText(text.slice(0, Math.floor(text.length * part)));
			const ended = fitPosts({ ...early, blocks: early.blocks.slice(0, -2) }, options).posts.slice(0, -1);
			expect(fitPosts(early, options).posts.slice(0, ended.length)).toEqual(ended);
			expect(fitPosts(parseText(text), options).posts.slice(0, ended.length)).toEqual(ended);
		}),
		check,
	);
});

test.each([
	["code", `\`\`\`ts\n${"const a = b[0] * 2;\n\n".repeat(40)}\`\`\``],
	["prose", "The quick brown fox jumps. Over the lazy dog, 你好世界。我们去公园散步。 ".repeat(20)],
	["a list", Array.from({ length: 40 }, (_, index) => `${index + 1}. item **${index}** and more`).join("\n")],
	["a table", `| a | b |\n|---|---|\n${"| one and two | three and four |\n".repeat(40)}`],
	[
		"a long row",
		`| a | b |\n|---|---|\n${"| c | d |\n".repeat(3)}| ${"one and two ".repeat(50)}| ${"three ".repeat(90)}|`,
	],
	["a quote", "> The quick brown fox jumps.\n> Over the `lazy` dog.\n>\n".repeat(20)],
])("while %s grows, only the last two posts change", (_what, text) => {
	for (const dialect of [markdownDialect, chatDialect]) {
		const options = { dialect, limit: 300, maxPosts: Number.POSITIVE_INFINITY };
		let before: readonly string[] = [];
		for (let length = 1; length <= text.length; length += stride) {
			const { posts } = fitPosts(parseText(text.slice(0, length)), options);
			expect(posts.slice(0, Math.max(before.length - 2, 0))).toEqual(before.slice(0, -2));
			before = posts;
		}
		expect(before.length).toBeGreaterThan(2);
	}
});

test("a text that is too long for its posts stays within the limit, and is complete in the file", () => {
	fc.assert(
		fc.property(markdown, dialects, (text, dialect) => {
			const { posts, file } = fitPosts(parseText(text), { dialect, limit: 300, maxPosts: 1 });
			expect(posts.length).toBeLessThanOrEqual(1);
			for (const post of posts) expect(dialect.measure(post)).toBeLessThanOrEqual(300);
			if (file !== undefined) expect(file.content).toBe(text);
		}),
		check,
	);
});

test("a text of four times the length takes four times the work", () => {
	const page = `${"Some **bold** words, `code` and 你好世界。 More of it follows here.\n".repeat(8)}\n- a\n- b\n\n\`\`\`ts\n${"a();\n".repeat(20)}\`\`\`\n\n`;
	const shapes = {
		blocks: page,
		paragraph: "One two three four five. ",
		word: "x",
		item: "- one two three\n",
		code: "```\n",
		row: "| a | b |\n",
		family: "👩‍👩‍👧‍👦",
	};
	for (const shape of Object.values(shapes)) {
		const [small = 0, large = 0] = [longest / 4, longest].map((size) => {
			let work = 0;
			const write: Dialect["write"] = (blocks) => {
				const post = chatDialect.write(blocks);
				work += post.length;
				return post;
			};
			const prefix = shape.startsWith("| a") ? "| a | b |\n|---|---|\n" : "";
			const text = prefix + shape.repeat(Math.ceil(size / shape.length));
			fitPosts(parseText(text), {
				dialect: { ...chatDialect, write },
				limit: 300,
				maxPosts: Number.POSITIVE_INFINITY,
			});
			return work;
		});
		// With quadratic growth, the ratio would be 16.
		expect(large / small).toBeLessThan(6);
	}
});

test("reading and splitting take time in proportion to the text", () => {
	const page = `${"Some **bold** words and 你好世界。 ".repeat(20)}\n\n- a\n- b\n\n\`\`\`ts\n${"a();\n".repeat(20)}\`\`\`\n\n`;
	const spent = (size: number): number => {
		const text = page.repeat(Math.ceil(size / page.length));
		const before = process.cpuUsage();
		fitPosts(parseText(text), { dialect: chatDialect, limit: 2000, maxPosts: Number.POSITIVE_INFINITY });
		const { user, system } = process.cpuUsage(before);
		return user + system;
	};
	spent(longest / 8);
	const least = (size: number): number => Math.min(...[1, 2, 3].map(() => spent(size)));
	// With quadratic growth, the ratio would be 64.
	expect(least(longest) / least(longest / 8)).toBeLessThan(20);
});
