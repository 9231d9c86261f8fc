import { definedItems } from "@parley/base";
import type { Block, Heading, Inline, Link, List, ListItem, Styled } from "./document.ts";
import { alignedLines } from "./tables.ts";

/** Syntax of a platform for each kind of node. All platforms share the traversal of the nodes. */
export interface LineSyntax {
	/** Escapes text. The result is literal at any position of a line, without links or notifications. */
	text(value: string): string;
	inlineCode(value: string): string;
	styled(type: Styled["type"], inner: string): string;
	link(link: Link, write: (nodes: readonly Inline[]) => string): string;
	heading(heading: Heading, write: (nodes: readonly Inline[]) => string): string;
	/** Writes the lines of a code block with its delimiters. */
	code(value: string, lang: string | undefined): string;
	/** Writes the prefix of a list item: its number or a bullet, and its checkbox. */
	item(number: number | undefined, checked: boolean | undefined): string;
	/** Prefix of each line of a quote. */
	readonly quote: string;
	readonly thematicBreak: string;
}

interface Line {
	readonly text: string;
	/** Whether the line is code. A list item does not indent its code. */
	readonly code: boolean;
}

/**
 * Writes blocks for a platform with plain-text markup. Tables become aligned code, and list items have no empty
 * lines between them.
 */
export function writeLines(blocks: readonly Block[], syntax: LineSyntax): string {
	return linesOf(blocks, syntax)
		.map(({ text }) => text)
		.join("\n");
}

function linesOf(blocks: readonly Block[], syntax: LineSyntax): Line[] {
	return blocks.flatMap((block, index) =>
		definedItems([index === 0 ? undefined : { text: "", code: false }, ...blockLines(block, syntax)]),
	);
}

function blockLines(block: Block, syntax: LineSyntax): Line[] {
	const write = (nodes: readonly Inline[]): string => writeInlines(nodes, syntax);
	switch (block.type) {
		case "paragraph":
			return split(write(block.children), false);
		case "heading":
			return split(syntax.heading(block, write), false);
		case "thematicBreak":
			return split(syntax.thematicBreak, false);
		case "code":
			return split(syntax.code(block.value, block.lang), true);
		case "table":
			return split(syntax.code(alignedLines(block).join("\n"), undefined), true);
		case "blockquote":
			return linesOf(block.children, syntax).map((line) => ({ ...line, text: syntax.quote + line.text }));
		case "list":
			return listLines(block, syntax);
	}
}

function split(text: string, code: boolean): Line[] {
	return text.split("\n").map((line) => ({ text: line, code }));
}

function listLines(list: List, syntax: LineSyntax): Line[] {
	return list.children.flatMap((item, index) =>
		itemLines(
			item,
			syntax,
			syntax.item(list.start === undefined ? undefined : list.start + index, item.checked),
		),
	);
}

function itemLines(item: ListItem, syntax: LineSyntax, marker: string): Line[] {
	const indent = " ".repeat(marker.length);
	// Code begins on a new line, because some platforms do not recognise a fence after a bullet.
	const [first] = item.children;
	const lines = item.children.flatMap((block) => blockLines(block, syntax));
	const opened =
		first?.type === "paragraph" || lines[0]?.code === false ? lines : [{ text: "", code: false }, ...lines];
	return opened.map((line, index) =>
		line.code ? line : { ...line, text: index === 0 ? marker + line.text : indent + line.text },
	);
}

function writeInlines(nodes: readonly Inline[], syntax: LineSyntax): string {
	const write = (inner: readonly Inline[]): string => writeInlines(inner, syntax);
	return nodes
		.map((node) => {
			switch (node.type) {
				case "text":
					return syntax.text(node.value);
				case "inlineCode":
					return syntax.inlineCode(node.value);
				case "link":
					return syntax.link(node, write);
				default:
					return syntax.styled(node.type, write(node.children));
			}
		})
		.join("");
}
