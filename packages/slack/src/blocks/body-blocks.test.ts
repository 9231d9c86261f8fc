import { parseText } from "@parley/connector";
import { expect, test } from "vitest";
import { limits } from "../vocabulary/limits.ts";
import { bodyBlocks, fallbackOf } from "./body-blocks.ts";
import { slackDialect } from "./dialect.ts";
import { smallPrintStart } from "./marks.ts";

function shown(markdown: string) {
	return bodyBlocks(slackDialect.write(parseText(markdown).blocks));
}

function types(markdown: string): string[] {
	return shown(markdown).blocks.map(({ type }) => type);
}

function table(columns: number, rows: number, cell = "x"): string {
	const line = (value: string): string => `|${` ${value} |`.repeat(columns)}`;
	return [line("h"), line("-"), ...Array.from({ length: rows }, () => line(cell))].join("\n");
}

test("a table is between texts, with its styles and without active syntax", () => {
	const { blocks, text } = shown("a\n\n| **b** | <!here> |\n|-|-|\n| `c` | [d](https://e.example) |\n\nf");
	const cell = (element: object) => ({
		type: "rich_text",
		elements: [{ type: "rich_text_section", elements: [element] }],
	});
	expect(blocks).toEqual([
		{ type: "markdown", text: "a" },
		{
			type: "table",
			column_settings: [{ is_wrapped: true }, { is_wrapped: true }],
			rows: [
				[cell({ type: "text", text: "b", style: { bold: true } }), cell({ type: "text", text: "<!here>" })],
				[
					cell({ type: "text", text: "c", style: { code: true } }),
					cell({ type: "link", url: "https://e.example", text: "d" }),
				],
			],
		},
		{ type: "markdown", text: "f" },
	]);
	expect(text).toBe("a\n\n```\nb | &lt;!here&gt;\n--|--------\nc | d\n```\n\nf");
});

test("a table that Slack refuses is code if its lines fit, else a list", () => {
	expect(types(table(20, 99))).toEqual(["table"]);
	expect(types(table(2, 100))).toEqual(["markdown"]);
	expect(shown(table(2, 100)).blocks[0]).toMatchObject({ text: expect.stringMatching(/^```\nh \| h\n/) });
	expect(types(table(21, 2))).toEqual(["markdown"]);
	expect(shown(table(21, 2)).blocks[0]).toMatchObject({
		text: expect.stringMatching(/^- \*\*h:⁠\*\* x {2}\n/),
	});
	expect(types(table(2, 9, "y".repeat(600)))).toEqual(["markdown"]);
	expect(types(`${table(2, 2)}\n\na\n\n${table(2, 2)}`)).toEqual(["table", "markdown"]);
});

test("small text is a separate block, which no other text can imitate", () => {
	const foot = `a\n- b\n${slackDialect.small?.("_c_ 1 s")}`;
	expect(bodyBlocks(foot)).toEqual({
		blocks: [
			{ type: "markdown", text: "a\n\n- b" },
			{ type: "context", elements: [{ type: "mrkdwn", text: "_c_ 1 s" }] },
		],
		text: "a\n\n• b\n\n_c_ 1 s",
	});
	expect(types(`a\n\n\`\`\`\n${smallPrintStart}b\n\`\`\`\n\n${smallPrintStart}c`)).toEqual(["markdown"]);
});

test("the notification text is cut, never inside an entity or link", () => {
	const long = `${"a".repeat(limits.text - 10)} <https://a.example|b> c`;
	expect(fallbackOf(long)).toBe(`${"a".repeat(limits.text - 10)}…`);
	expect(fallbackOf("&amp;".repeat(2000))).toMatch(/^(?:&amp;)+…$/);
	expect(fallbackOf("a")).toBe("a");
});
