import { definedItems } from "@parley/base";
import type { Block, Heading, Inline, Link, List, ListItem, Styled } from "./document.ts";
import { alignedLines } from "./tables.ts";

/** Syntax of one platform for each kind of node. The traversal is the same for all platforms. */
export interface LineSyntax {
	/** Escapes text so that it is literal at any position of a line, without links or notifications. */
	text(value: string): string;
	inlineCode(value: string): string;
	styled(type: Styled["type"], inner: string): string;
	link(link: Link, write: (nodes: readonly Inline[]) => string): string;
	heading(heading: Heading, write: (nodes: readonly Inline[]) => string): string;
	/** Lines of a code block with its delimiters. */
	code(value: string, lang: string | undefined): string;
	/** Prefix of an item: its number, or undefined for a bullet, and its box. */
	item(number: number | undefined, checked: boolean | undefined): string;
	/** Prefix of each line of a quote. */
	readonly quote: string;
	readonly thematicBreak: string;
}

interface Line {
	readonly text: string;
	/** Code lines keep their indentation in any container. */
	readonly code: boolean;
}

/**
 * Writes blocks for a platform with markup in plain text: tables become aligned code, and list items have no empty lines
 * between them.
 */
export function writeLines(blocks: readonly Block[], marks: LineSyntax): string {
	return linesOf(blocks, marks)
		.map(({ text }) => text)
		.join("\n");
}

function linesOf(blocks: readonly Block[], marks: LineSyntax): Line[] {
	return blocks.flatMap((block, index) =>
		definedItems([index === 0 ? undefined : { text: "", code: false }, ...blockLines(block, marks)]),
	);
}

function blockLines(block: Block, marks: LineSyntax): Line[] {
	const write = (nodes: readonly Inline[]): string => writeInlines(nodes, marks);
	switch (block.type) {
		case "paragraph":
			return split(write(block.children), false);
		case "heading":
			return split(marks.heading(block, write), false);
		case "thematicBreak":
			return split(marks.thematicBreak, false);
		case "code":
			return split(marks.code(block.value, block.lang), true);
		case "table":
			return split(marks.code(alignedLines(block).join("\n"), undefined), true);
		case "blockquote":
			return linesOf(block.children, marks).map((line) => ({ ...line, text: marks.quote + line.text }));
		case "list":
			return listLines(block, marks);
	}
}

function split(text: string, code: boolean): Line[] {
	return text.split("\n").map((line) => ({ text: line, code }));
}

function listLines(list: List, marks: LineSyntax): Line[] {
	return list.children.flatMap((item, index) =>
		itemLines(
			item,
			marks,
			marks.item(list.start === undefined ? undefined : list.start + index, item.checked),
		),
	);
}

function itemLines(item: ListItem, marks: LineSyntax, marker: string): Line[] {
	const indent = " ".repeat(marker.length);
	// Code begins on a new line, because some platforms do not recognize a fence after a bullet.
	const [first] = item.children;
	const lines = item.children.flatMap((block) => blockLines(block, marks));
	const opened =
		first?.type === "paragraph" || lines[0]?.code === false ? lines : [{ text: "", code: false }, ...lines];
	return opened.map((line, index) =>
		line.code ? line : { ...line, text: index === 0 ? marker + line.text : indent + line.text },
	);
}

function writeInlines(nodes: readonly Inline[], marks: LineSyntax): string {
	const write = (inner: readonly Inline[]): string => writeInlines(inner, marks);
	return nodes
		.map((node) => {
			switch (node.type) {
				case "text":
					return marks.text(node.value);
				case "inlineCode":
					return marks.inlineCode(node.value);
				case "link":
					return marks.link(node, write);
				default:
					return marks.styled(node.type, write(node.children));
			}
		})
		.join("");
}
