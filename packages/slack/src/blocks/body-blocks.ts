import { definedItems } from "@parley/base";
import {
	type Block,
	cutText,
	type LineSyntax,
	type Link,
	parseText,
	plainText,
	writeLines,
} from "@parley/connector";
import type { ContextBlock, MarkdownBlock, RichTextBlock, SectionBlock, TableBlock } from "@slack/types";
import { limits } from "../vocabulary/limits.ts";
import { addressOf, harmless, joiner, smallPrintStart, visible } from "./marks.ts";
import { momentToken, parseMomentLink } from "./moments.ts";
import { needsRichText, richTextBlock } from "./rich-text.ts";
import { otherwise, tableBlock } from "./tables.ts";
import { writeMarkdown } from "./write-markdown.ts";

/** Block of a post's body. A section is used only after Slack has refused the other types. */
export type BodyBlock = MarkdownBlock | RichTextBlock | TableBlock | ContextBlock | SectionBlock;

export interface Body {
	readonly blocks: readonly BodyBlock[];
	/** Text of the body for notifications and screen readers, up to Slack's limit. Empty without visible text. */
	readonly text: string;
}

const smallLine = new RegExp(`(?:^|\\n)${smallPrintStart}(.*)`, "g");

/**
 * Converts a body of `slackDialect` to blocks. Only the first table that fits becomes a table block, because a
 * message may have only one: reference/block-kit/blocks/table-block
 */
export function bodyBlocks(body: string): Body {
	const parts = partsOf(body);
	const blocks: BodyBlock[] = [];
	for (const part of parts) {
		if (part.small) blocks.push(...contextOf(part.blocks));
		else blocks.push(...shownBlocks(part.blocks, !blocks.some(({ type }) => type === "table")));
	}
	const text = parts.map((part) => writeMrkdwn(part.blocks)).filter((part) => part.trim() !== "");
	return { blocks, text: fallbackOf(text.join("\n\n")) };
}

/** Shortens text to Slack's limit, without cutting a `<…>` token or an entity. */
export function fallbackOf(text: string): string {
	if (text.length <= limits.text) return text;
	return `${cutText(text, limits.text)
		.slice(0, -1)
		.replace(/<[^<>]*$|&\w*$/, "")
		.trimEnd()}…`;
}

interface Part {
	readonly small: boolean;
	readonly blocks: readonly Block[];
}

function partsOf(body: string): Part[] {
	// The captures of the expression have odd indexes.
	return body
		.split(smallLine)
		.map((text, index) => ({ small: index % 2 === 1, blocks: parseText(text).blocks }))
		.filter(({ blocks }) => blocks.length > 0);
}

function contextOf(blocks: readonly Block[]): ContextBlock[] {
	const written = writeMrkdwn(blocks);
	if (written.trim() === "") return [];
	const text =
		written.length <= limits.textObject ? written : fallbackOf(written).slice(0, limits.textObject);
	return [{ type: "context", elements: [{ type: "mrkdwn", text }] }];
}

function shownBlocks(blocks: readonly Block[], allowsTable: boolean): BodyBlock[] {
	const shown: BodyBlock[] = [];
	let text: Block[] = [];
	const flush = (): void => {
		shown.push(...textBlocks(text));
		text = [];
	};
	for (const block of blocks) {
		const mayBeTable = allowsTable && !shown.some(({ type }) => type === "table");
		const table = block.type === "table" && mayBeTable ? tableBlock(block) : undefined;
		if (table !== undefined) {
			flush();
			shown.push(table);
		} else text.push(...(block.type === "table" ? otherwise(block) : [block]));
	}
	flush();
	return shown;
}

/** Converts blocks to at most three blocks of Slack, because Slack limits the blocks of a message. */
function textBlocks(blocks: readonly Block[]): BodyBlock[] {
	const first = blocks.findIndex(needsRichText);
	if (first < 0) return markdownOf(blocks);
	const end = blocks.findLastIndex(needsRichText) + 1;
	const rich = richTextBlock(blocks.slice(first, end));
	return definedItems([...markdownOf(blocks.slice(0, first)), rich, ...markdownOf(blocks.slice(end))]);
}

function markdownOf(blocks: readonly Block[]): BodyBlock[] {
	const text = writeMarkdown(blocks).toWellFormed();
	return text.trim() === "" ? [] : [{ type: "markdown", text }];
}

const fences = { strong: "*", emphasis: "_", delete: "~" } as const;

function escaped(value: string): string {
	// mrkdwn has no escape characters, so joiners surround each delimiter.
	return harmless(value)
		.replace(/[*_~`]/g, `${joiner}$&${joiner}`)
		.replace(/^(?=&gt;)/gm, joiner);
}

function writeLink({ url, children }: Link): string {
	const moment = parseMomentLink(url);
	if (moment !== undefined) return momentToken(moment);
	const label = escaped(plainText(children)).replaceAll("|", "¦").replaceAll("\n", " ").trim();
	return `<${addressOf(url).replaceAll("&", "&amp;")}${label === "" ? "" : `|${label}`}>`;
}

function writeCode(value: string): string {
	if (value === "") return "";
	// mrkdwn does not allow a backtick in code.
	return value.includes("`") ? escaped(value) : `\`${entitiesOnly(value)}\``;
}

function entitiesOnly(value: string): string {
	// Slack shows emoji names in code unchanged, so they are not escaped.
	return visible(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const marks: LineSyntax = {
	text: escaped,
	inlineCode: writeCode,
	styled: (type, inner) => (inner.trim() === "" ? inner : `${fences[type]}${inner}${fences[type]}`),
	link: writeLink,
	heading: ({ children }, write) => `*${write(children).replaceAll("\n", " ").trim()}*`,
	code: (value) => `\`\`\`\n${entitiesOnly(value).replace(/``(?=`)/g, `\`\`${joiner}`)}\n\`\`\``,
	item(number, checked) {
		const box = checked === undefined ? "" : checked ? "☑ " : "☐ ";
		return `${number === undefined ? "•" : `${number}.`} ${box}`;
	},
	quote: "> ",
	thematicBreak: "———",
};

/** Returns `blocks` in mrkdwn, Slack's own syntax: messaging/formatting-message-text#basic-formatting */
function writeMrkdwn(blocks: readonly Block[]): string {
	return writeLines(blocks, marks).toWellFormed();
}
