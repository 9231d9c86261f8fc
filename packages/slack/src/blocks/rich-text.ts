import { alignedLines, type Block, type Inline, type Link, type List, plainText } from "@parley/connector";
import type { RichTextBlock, RichTextElement } from "@slack/types";
import { addressOf, containsToken, visible } from "./marks.ts";
import { parseMomentLink } from "./moments.ts";

interface Style {
	readonly bold?: boolean;
	readonly italic?: boolean;
	readonly strike?: boolean;
	readonly code?: boolean;
}

type Part = RichTextBlock["elements"][number];

/**
 * Whether Markdown cannot show a block exactly. The reason is a time, or code in which Slack could recognise a
 * mention, a command or a link.
 */
export function needsRichText(block: Block): boolean {
	switch (block.type) {
		case "paragraph":
		case "heading":
			return block.children.some(inlineNeedsRichText);
		case "code":
			return containsToken(block.value);
		case "table":
			return containsToken(alignedLines(block).join("\n"));
		case "blockquote":
			return block.children.some(needsRichText);
		case "list":
			return block.children.some(({ children }) => children.some(needsRichText));
		case "thematicBreak":
			return false;
	}
}

function inlineNeedsRichText(node: Inline): boolean {
	if (node.type === "inlineCode") return containsToken(node.value);
	if (node.type === "text") return false;
	return (
		(node.type === "link" && parseMomentLink(node.url) !== undefined) ||
		node.children.some(inlineNeedsRichText)
	);
}

/**
 * Converts blocks to rich text, which Slack does not parse: reference/block-kit/blocks/rich-text-block. Lists
 * become lines of text, because a native list cannot contain code blocks. Returns undefined without text.
 */
export function richTextBlock(blocks: readonly Block[]): RichTextBlock | undefined {
	const parts: Part[] = [];
	for (const block of blocks) {
		const elements = block.type === "blockquote" ? joined(block.children, "") : elementsOfBlock(block, "");
		const last = parts.at(-1);
		if (elements.length === 0) continue;
		if (block.type === "code") parts.push(preformatted(block.value));
		else if (block.type === "blockquote") parts.push({ type: "rich_text_quote", elements });
		else if (last?.type === "rich_text_section")
			last.elements.push({ type: "text", text: "\n\n" }, ...elements);
		else parts.push({ type: "rich_text_section", elements });
	}
	return parts.length === 0 ? undefined : { type: "rich_text", elements: parts };
}

/** Converts one line of text to rich text. The result is never empty. */
export function richTextLine(nodes: readonly Inline[]): RichTextBlock {
	const elements = elementsOf(nodes, {});
	// Rich text must have at least one character: reference/block-kit/blocks/rich-text-block
	const line: RichTextElement[] = elements.length > 0 ? elements : [{ type: "text", text: " " }];
	return { type: "rich_text", elements: [{ type: "rich_text_section", elements: line }] };
}

/** Returns the number of characters in a rich text to which Slack's limits apply. */
export function richTextLength({ elements }: RichTextBlock): number {
	let length = 0;
	for (const part of elements) {
		for (const one of part.elements) length += one.type === "rich_text_section" ? 0 : elementLength(one);
	}
	return length;
}

function elementLength(element: RichTextElement): number {
	if (element.type === "text") return element.text.length;
	if (element.type === "link") return (element.text ?? element.url).length;
	return element.type === "date" ? element.format.length : 1;
}

function preformatted(value: string): Part {
	return { type: "rich_text_preformatted", elements: [{ type: "text", text: shown(value) }] };
}

function elementsOfBlock(block: Block, indent: string): RichTextElement[] {
	switch (block.type) {
		case "paragraph":
			return elementsOf(block.children, {});
		case "heading":
			return elementsOf(block.children, { bold: true });
		case "code":
			return textOf(block.value, { code: true });
		case "table":
			return textOf(alignedLines(block).join("\n"), { code: true });
		case "thematicBreak":
			return textOf("———", {});
		case "blockquote":
			return joined(block.children, indent);
		case "list":
			return listElements(block, indent);
	}
}

function joined(blocks: readonly Block[], indent: string): RichTextElement[] {
	return blocks.flatMap((block, index) => [
		...(index === 0 ? [] : textOf(`\n${indent}`, {})),
		...elementsOfBlock(block, indent),
	]);
}

function listElements({ children, ordered, start = 1 }: List, indent: string): RichTextElement[] {
	return children.flatMap((item, index) => {
		const mark = ordered ? `${start + index}. ` : "• ";
		const box = item.checked === undefined ? "" : item.checked ? "☑ " : "☐ ";
		const before = index === 0 ? "" : `\n${indent}`;
		return [...textOf(`${before}${mark}${box}`, {}), ...joined(item.children, `${indent}    `)];
	});
}

const styles = { strong: { bold: true }, emphasis: { italic: true }, delete: { strike: true } } as const;

function elementsOf(nodes: readonly Inline[], style: Style): RichTextElement[] {
	return nodes.flatMap((node): RichTextElement[] => {
		switch (node.type) {
			case "text":
				return textOf(node.value, style);
			case "inlineCode":
				return textOf(node.value, { ...style, code: true });
			case "link":
				return [linkOf(node, style)];
			default:
				return elementsOf(node.children, { ...style, ...styles[node.type] });
		}
	});
}

function textOf(value: string, style: Style): RichTextElement[] {
	const text = shown(value);
	return text === "" ? [] : [{ type: "text", text, ...styleOf(style) }];
}

function linkOf({ url, children }: Link, style: Style): RichTextElement {
	const moment = parseMomentLink(url);
	if (moment !== undefined) return { type: "date", ...moment, ...styleOf(style) };
	return { type: "link", url: addressOf(url), text: shown(plainText(children)) || url, ...styleOf(style) };
}

function shown(value: string): string {
	return visible(value).toWellFormed();
}

function styleOf(style: Style): { style?: Style } {
	return Object.keys(style).length === 0 ? {} : { style };
}
