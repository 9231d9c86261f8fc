/** Literal text without formatting. Its line breaks are `\n`. */
export interface Text {
	readonly type: "text";
	readonly value: string;
}

export interface InlineCode {
	readonly type: "inlineCode";
	readonly value: string;
}

export interface Styled {
	readonly type: "strong" | "emphasis" | "delete";
	readonly children: readonly Inline[];
}

/** An http, https or mailto address with visible text. Images are links, too. */
export interface Link {
	readonly type: "link";
	readonly url: string;
	readonly children: readonly Inline[];
}

/**
 * Content of a paragraph, a heading or a table cell. Names and fields match mdast, so that tools for mdast can read these
 * trees.
 */
export type Inline = Text | InlineCode | Styled | Link;

export interface Paragraph {
	readonly type: "paragraph";
	readonly children: readonly Inline[];
}

export interface Heading {
	readonly type: "heading";
	readonly depth: 1 | 2 | 3 | 4 | 5 | 6;
	readonly children: readonly Inline[];
}

/** A block of code. `lang` is a single word such as `ts`, or undefined. Lines of `value` are separated by `\n`. */
export interface Code {
	readonly type: "code";
	readonly lang: string | undefined;
	readonly value: string;
}

export interface ThematicBreak {
	readonly type: "thematicBreak";
}

export interface Blockquote {
	readonly type: "blockquote";
	readonly children: readonly Block[];
}

export interface ListItem {
	readonly type: "listItem";
	/** Whether the checkbox of a task item is ticked; undefined if the item has no checkbox. */
	readonly checked: boolean | undefined;
	/** Blocks of the item; never empty. */
	readonly children: readonly Block[];
}

/**
 * A list. `start` is the number of the first item of an ordered list; undefined for other lists. Tight and loose lists
 * are not distinguished.
 */
export interface List {
	readonly type: "list";
	readonly ordered: boolean;
	readonly start: number | undefined;
	readonly children: readonly ListItem[];
}

export interface TableCell {
	readonly type: "tableCell";
	readonly children: readonly Inline[];
}

export interface TableRow {
	readonly type: "tableRow";
	readonly children: readonly TableCell[];
}

/** A table. The first row is the header. Each row has at least as many cells as the header. */
export interface Table {
	readonly type: "table";
	readonly children: readonly TableRow[];
}

export type Block = Paragraph | Heading | Code | ThematicBreak | Blockquote | List | Table;

export type TextNode = Block | ListItem | TableRow | TableCell | Inline;

/** A text as a tree of blocks, independent of a platform. */
export interface TextDocument {
	/** Original text. */
	readonly markdown: string;
	readonly blocks: readonly Block[];
}

/** Returns the text of inlines without formatting. */
export function plainText(nodes: readonly Inline[]): string {
	return nodes.map((node) => ("value" in node ? node.value : plainText(node.children))).join("");
}
