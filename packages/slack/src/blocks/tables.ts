import {
	alignedLines,
	type Block,
	columnsOf,
	type Inline,
	narrowTables,
	plainText,
	type Table,
} from "@parley/connector";
import type { RichTextBlock, RichTextElement, TableBlock } from "@slack/types";
import { limits } from "../limits.ts";
import { addressOf, visible } from "./marks.ts";
import { momentOf } from "./moments.ts";

/** Code that is wider is wrapped, which no table survives. */
const codeColumns = 80;

interface Style {
	readonly bold?: boolean;
	readonly italic?: boolean;
	readonly strike?: boolean;
	readonly code?: boolean;
}

/** A table as Slack has it; undefined where it is too large for that. */
export function tableBlock({ children }: Table): TableBlock | undefined {
	const rows = children.map((row) => row.children.map((cell) => richText(cell.children)));
	const columns = rows[0]?.length ?? 0;
	const block: TableBlock = {
		type: "table",
		rows,
		column_settings: Array.from({ length: columns }, () => ({ is_wrapped: true })),
	};
	return tableProblem(block) === undefined ? block : undefined;
}

/** What Slack would not take of a table; undefined where it takes it. */
export function tableProblem({ rows }: TableBlock): string | undefined {
	const columns = Math.max(0, ...rows.map((row) => row.length));
	const characters = tableLength(rows);
	if (rows.length < 1 || rows.length > limits.tableRows) return `a table has ${rows.length} rows`;
	if (columns < 1 || columns > limits.tableColumns) return `a table has ${columns} columns`;
	if (rows.some((row) => row.length !== columns)) return "the rows of a table differ in length";
	return characters > limits.tableCharacters ? `a table has ${characters} characters` : undefined;
}

/** The characters in all cells. */
export function tableLength(rows: TableBlock["rows"]): number {
	return rows.flat().reduce((sum, cell) => sum + cellLength(cell), 0);
}

/** What is too large for a table block: lines of equal columns where they stay whole, else a list of its rows. */
export function otherwise(table: Table): Block[] {
	const lines = alignedLines(table);
	const widest = Math.max(...lines.map(columnsOf));
	if (widest <= codeColumns) return [{ type: "code", lang: undefined, value: lines.join("\n") }];
	return narrowTables([table], 0);
}

function cellLength(cell: TableBlock["rows"][number][number]): number {
	if (cell.type !== "rich_text") return cell.text.length;
	let length = 0;
	for (const part of cell.elements) {
		if (part.type !== "rich_text_section") continue;
		for (const one of part.elements) length += elementLength(one);
	}
	return length;
}

function elementLength(element: RichTextElement): number {
	if (element.type === "text") return element.text.length;
	if (element.type === "link") return (element.text ?? element.url).length;
	return element.type === "date" ? element.format.length : 1;
}

/** Nothing in it is read again by Slack: what formats stands beside the text. */
function richText(nodes: readonly Inline[]): RichTextBlock {
	const elements = elementsOf(nodes, {});
	// A text has at least one character: reference/block-kit/blocks/rich-text-block.
	const shown: RichTextElement[] = elements.length > 0 ? elements : [{ type: "text", text: " " }];
	return { type: "rich_text", elements: [{ type: "rich_text_section", elements: shown }] };
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
				return [linkOf(node.url, plainText(node.children), style)];
			default:
				return elementsOf(node.children, { ...style, ...styles[node.type] });
		}
	});
}

function textOf(value: string, style: Style): RichTextElement[] {
	const text = visible(value);
	return text === "" ? [] : [{ type: "text", text, ...styleOf(style) }];
}

function linkOf(url: string, label: string, style: Style): RichTextElement {
	const moment = momentOf(url);
	if (moment !== undefined) return { type: "date", ...moment, ...styleOf(style) };
	return { type: "link", url: addressOf(url), text: visible(label) || url, ...styleOf(style) };
}

function styleOf(style: Style): { style?: Style } {
	return Object.keys(style).length === 0 ? {} : { style };
}
