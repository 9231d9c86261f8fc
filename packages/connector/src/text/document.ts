/** Text as it is read: no character in it formats anything. A line break is a `\n`. */
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

/** An address of http, https or mailto, with at least one character to read; images are links too. */
export interface Link {
	readonly type: "link";
	readonly url: string;
	readonly children: readonly Inline[];
}

/** What stands within a line. Names and fields are those of mdast, so that its tools can read these trees. */
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

/** `lang` is a single word such as `ts`; lines of `value` are separated by `\n`. */
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
	/** Whether the box of a to-do is ticked; undefined where there is no box. */
	readonly checked: boolean | undefined;
	/** Never empty. */
	readonly children: readonly Block[];
}

/** `start` is the number of the first item of an ordered list. Whether it was written tight or loose is not kept. */
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

/** The first row is the header; all rows have as many cells as it. */
export interface Table {
	readonly type: "table";
	readonly children: readonly TableRow[];
}

export type Block = Paragraph | Heading | Code | ThematicBreak | Blockquote | List | Table;

export type TextNode = Block | ListItem | TableRow | TableCell | Inline;

/** What a model wrote, as a tree of blocks that no platform has touched yet. */
export interface TextDocument {
	/** As it was written. */
	readonly markdown: string;
	readonly blocks: readonly Block[];
}

/** What people read of inlines, without any formatting. */
export function plainText(nodes: readonly Inline[]): string {
	return nodes.map((node) => ("value" in node ? node.value : plainText(node.children))).join("");
}
