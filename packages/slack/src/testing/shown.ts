import { type Block, type Inline, parseText } from "@parley/connector";
import type { RichTextBlock, RichTextElement } from "@slack/types";
import type { MessageBlock } from "../blocks/check-message.ts";

/**
 * Pattern of Slack's syntax in angle brackets, which Slack recognises first in a text:
 * https://docs.slack.dev/messaging/formatting-message-text#advanced
 */
const token = /<([^<>]*)>/g;
const linkToken = /^(?:https?:\/\/[^\s|]+(?:\|[^|]*)?|mailto:[^\s|]+(?:\|[^|]*)?)$/i;
const dateToken = /^!date\^\d+\^[^|]+\|[^|]+$/;
const meaning = /^(?:[@#]\w|!(?:here|channel|everyone|group|subteam|date)\b|[a-z][a-z0-9+.-]*:)/i;
const emoji = /:[\p{L}\p{M}\p{N}_+'-]+:/u;

/** Returns the visible text of blocks. Throws if a text contains a mention, or an emoji outside code. */
export function shownBy(blocks: readonly MessageBlock[]): string {
	return unseen(blocks.map(shownBlock).join("\n"));
}

/** Removes joiners, and reduces white space to single spaces. */
export function unseen(text: string): string {
	return text.replaceAll("\u2060", "").replace(/\s+/g, " ").trim();
}

function shownBlock(block: MessageBlock): string {
	switch (block.type) {
		case "markdown":
			checkTokens(block.text, [linkToken]);
			return parseText(block.text).blocks.map(shownMarkdown).join("\n");
		case "table":
			return block.rows
				.map((row) => row.map((cell) => (cell.type === "rich_text" ? richText(cell) : cell.text)).join(" | "))
				.join("\n");
		case "rich_text":
			return richText(block);
		case "context":
			return block.elements.map((one) => ("text" in one ? mrkdwnText(one.text) : "")).join(" ");
		case "section":
			return mrkdwnText(block.text?.text ?? "");
		case "plan":
			return [block.title, ...block.tasks.map(({ title }) => title)].join("\n");
		case "actions":
			return block.elements
				.map((one) => (one.type === "button" ? `[${one.text.text}]` : `<${one.type}>`))
				.join(" ");
		case "context_actions":
			return block.elements.map(({ type }) => `<${type}>`).join(" ");
	}
}

/**
 * Throws if a text contains a token with a meaning other than the `allowed` ones. Dates are documented only for
 * mrkdwn: https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */
function checkTokens(text: string, allowed: readonly RegExp[]): void {
	for (const [, inside = ""] of text.matchAll(token)) {
		if (meaning.test(inside) && !allowed.some((one) => one.test(inside)))
			throw new Error(`<${inside}> means something`);
	}
}

/** Returns the visible text of mrkdwn, including its delimiters. */
export function mrkdwnText(text: string): string {
	checkTokens(text, [linkToken, dateToken]);
	return text
		.replace(/<(?:[^<>|]*\|)?([^<>|]*)>/g, "$1")
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&amp;", "&");
}

function shownMarkdown(block: Block): string {
	switch (block.type) {
		case "paragraph":
		case "heading":
			return block.children.map(shownInline).join("");
		case "code":
			return block.value;
		case "table":
			throw new Error("a table is left in a markdown block");
		case "thematicBreak":
			return "—";
		case "blockquote":
			return block.children.map(shownMarkdown).join("\n");
		case "list":
			return block.children
				.map((item, index) => {
					const mark = block.start === undefined ? "•" : `${block.start + index}.`;
					return `${mark} ${item.children.map(shownMarkdown).join("\n")}`;
				})
				.join("\n");
	}
}

function shownInline(node: Inline): string {
	if (node.type === "text") {
		if (emoji.test(node.value)) throw new Error(`${node.value} is an image`);
		return node.value;
	}
	if (node.type === "inlineCode") return node.value;
	return node.children.map(shownInline).join("");
}

function richText({ elements }: RichTextBlock): string {
	return elements
		.map((part) =>
			part.elements.map((one) => (one.type === "rich_text_section" ? "" : elementText(one))).join(""),
		)
		.join("\n");
}

function elementText(element: RichTextElement): string {
	if (element.type === "text") return element.text;
	if (element.type === "link") return element.text ?? element.url;
	if (element.type === "date") return element.fallback ?? "";
	throw new Error(`a ${element.type} means something`);
}
