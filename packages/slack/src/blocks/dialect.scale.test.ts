import { type Block, fitPosts, type Inline, parseText, plainText } from "@parley/connector";
import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { mrkdwnText, shownBy, unseen } from "../testing/shown.ts";
import { bodyBlocks } from "./body-blocks.ts";
import { checkMessage } from "./check-message.ts";
import { slackDialect } from "./dialect.ts";

const scale = process.env["PARLEY_TEST_SCALE"] === undefined ? 1 : 10;

const nasty = fc.constantFrom(
	...[
		"*",
		"_",
		"~",
		"~~",
		"`",
		"```",
		"|",
		"<",
		">",
		"&",
		"&lt;",
		"&#42;",
		"\\",
		"[",
		"](",
		")",
		"!",
		"#",
		"# ",
		"- ",
		"+ ",
	],
	...[
		"1. ",
		"=",
		"==",
		"---",
		":-",
		":smile:",
		":+1:",
		":",
		"<!channel>",
		"<!here|x>",
		"<@U1>",
		"<#C1|a>",
		"<!subteam^S1>",
	],
	...[
		"<https://a.example|b>",
		"https://a.example/x_y",
		"www.a.example",
		"a@b.example",
		"@here",
		"@everyone",
		"\n",
		" ",
		"    ",
	],
	...["\u001f", "\u0000", "a", "B1", "名", "é", "😀", ".", "snake_case", "x"],
);
const text = fc.array(
	fc.oneof({ weight: 4, arbitrary: nasty }, fc.string({ unit: "binary", maxLength: 4 })),
	{
		minLength: 1,
		maxLength: 12,
	},
);

function plain(value: string): string {
	return unseen(value.toWellFormed().replace(/(?![\n\t])\p{Cc}/gu, ""));
}

test("code contains no joiner that its author did not write", () => {
	fc.assert(
		fc.property(text, fc.boolean(), (parts, isBlock) => {
			const value = parts.join("").replace(isBlock ? /$^/g : /\n/g, " ");
			const block: Block = isBlock
				? { type: "code", lang: undefined, value }
				: { type: "paragraph", children: [{ type: "inlineCode", value: value || "a" }] };
			const { blocks } = bodyBlocks(slackDialect.write([block]));
			expect(JSON.stringify(blocks)).not.toContain("\u2060");
		}),
		{ numRuns: 100 * scale },
	);
});

test("Slack shows every text literally, without mentions", () => {
	fc.assert(
		fc.property(text, (parts) => {
			const value = parts.join("");
			const block: Block = { type: "paragraph", children: [{ type: "text", value }] };
			const { blocks, text: fallback } = bodyBlocks(slackDialect.write([block]));
			expect(shownBy(blocks)).toBe(plain(value));
			expect(unseen(mrkdwnText(fallback)).replace(/¦/g, "|")).toBe(plain(value));
		}),
		{ numRuns: 200 * scale },
	);
});

const inline: fc.Arbitrary<Inline> = fc.letrec<{ inline: Inline }>((tie) => ({
	inline: fc.oneof(
		{ maxDepth: 3 },
		text.map((parts): Inline => ({ type: "text", value: parts.join("") || "a" })),
		text.map((parts): Inline => ({ type: "inlineCode", value: parts.join("").replaceAll("\n", " ") || "a" })),
		fc
			.tuple(
				fc.constantFrom("strong", "emphasis", "delete"),
				fc.array(tie("inline"), { minLength: 1, maxLength: 3 }),
			)
			.map(([type, children]): Inline => ({ type, children })),
	),
})).inline;

test("styles and code around any text neither end early nor merge", () => {
	fc.assert(
		fc.property(fc.array(inline, { minLength: 1, maxLength: 5 }), (children) => {
			const { blocks } = bodyBlocks(slackDialect.write([{ type: "paragraph", children }]));
			expect(shownBy(blocks)).toBe(plain(plainText(children)));
		}),
		{ numRuns: 200 * scale },
	);
});

test("posts of any Markdown fit Slack's limits, and no part is lost", () => {
	const line = fc.oneof(
		text.map((parts) => parts.join("")),
		fc.constantFrom("", "- a", "> b", "```", "| a | b |", "|-|-|"),
	);
	fc.assert(
		fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (lines, times) => {
			const markdown = `${lines.join("\n")}\n\n`.repeat(times);
			const { posts } = fitPosts(parseText(markdown), { dialect: slackDialect, limit: 3000, maxPosts: 1000 });
			for (const post of posts) {
				const { blocks, text: fallback } = bodyBlocks(post);
				expect(blocks.length === 0 || fallback.trim() !== "" || shownBy(blocks) === "").toBe(true);
				if (fallback.trim() !== "") expect(checkMessage({ blocks, text: fallback })).toEqual({});
			}
		}),
		{ numRuns: 12 * scale },
	);
});
