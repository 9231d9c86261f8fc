import { type Block, type Inline, parseText } from "@parley/connector";
import type { RichTextElement } from "@slack/types";
import type { MessageBlock } from "../blocks/check-message.ts";

/** What Slack reads in a text before anything else: https://docs.slack.dev/messaging/formatting-message-text#advanced */
const token = /<([^<>]*)>/g;
const allowedToken =
	/^(?:\u2060.*|https?:\/\/[^\s|]+(?:\|[^|]*)?|mailto:[^\s|]+(?:\|[^|]*)?|!date\^\d+\^[^|]+\|[^|]+)$/i;
const meaning = /^(?:[@#]\w|!(?:here|channel|everyone|group|subteam|date)\b|[a-z][a-z0-9+.-]*:)/i;
const emoji = /:[\p{L}\p{M}\p{N}_+'-]+:/u;

/** What people read of blocks, style by style, without what nobody sees. Throws where anything pings or becomes a picture. */
export function shownBy(blocks: readonly MessageBlock[]): string {
	return unseen(blocks.map(shownBlock).join("\n"));
}

/** Without joiners, and with all blanks as one. */
export function unseen(text: string): string {
	return text.replaceAll("\u2060", "").replace(/\s+/g, " ").trim();
}

function shownBlock(block: MessageBlock): string {
	switch (block.type) {
		case "markdown":
			checkTokens(block.text);
			return parseText(block.text).blocks.map(shownMarkdown).join("\n");
		case "table":
			return block.rows
				.map((row) => row.map((cell) => (cell.type === "rich_text" ? cellText(cell) : cell.text)).join(" | "))
				.join("\n");
		case "context":
			return block.elements.map((one) => ("text" in one ? mrkdwnText(one.text) : "")).join(" ");
		case "section":
			return mrkdwnText(block.text?.text ?? "");
		case "actions":
			return block.elements
				.map((one) => (one.type === "button" ? `[${one.text.text}]` : `<${one.type}>`))
				.join(" ");
	}
}

function checkTokens(text: string): void {
	for (const [, inside = ""] of text.matchAll(token)) {
		if (meaning.test(inside) && !allowedToken.test(inside)) throw new Error(`<${inside}> means something`);
	}
}

/** mrkdwn with its marks, which only stand where no joiner is. */
export function mrkdwnText(text: string): string {
	checkTokens(text);
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
		if (emoji.test(node.value)) throw new Error(`${node.value} is a picture`);
		return node.value;
	}
	if (node.type === "inlineCode") return node.value;
	return node.children.map(shownInline).join("");
}

function cellText(cell: Extract<MessageBlock, { type: "table" }>["rows"][number][number]): string {
	if (cell.type !== "rich_text") return cell.text;
	return cell.elements
		.flatMap((part) => (part.type === "rich_text_section" ? part.elements.map(elementText) : []))
		.join("");
}

function elementText(element: RichTextElement): string {
	if (element.type === "text") return element.text;
	if (element.type === "link") return element.text ?? element.url;
	if (element.type === "date") return element.fallback ?? "";
	throw new Error(`a ${element.type} in a table means something`);
}
