import { alignedLines, type Block, columnsOf, narrowTables, type Table } from "@parley/connector";
import type { TableBlock } from "@slack/types";
import { limits } from "../vocabulary/limits.ts";
import { richTextLength, richTextLine } from "./rich-text.ts";

/**
 * Maximum characters per line of a table that is shown as code. Longer lines wrap, which makes the table unreadable.
 */
const codeColumns = 80;

/** Converts a table, or returns undefined if it is too large for a table block. */
export function tableBlock({ children }: Table): TableBlock | undefined {
	const rows = children.map((row) => row.children.map((cell) => richTextLine(cell.children)));
	const columns = rows[0]?.length ?? 0;
	const block: TableBlock = {
		type: "table",
		rows,
		column_settings: Array.from({ length: columns }, () => ({ is_wrapped: true })),
	};
	return tableProblem(block) === undefined ? block : undefined;
}

/** Returns the reason why Slack would refuse a table, or undefined for a valid table. */
export function tableProblem({ rows }: TableBlock): string | undefined {
	const columns = Math.max(0, ...rows.map((row) => row.length));
	const characters = tableLength(rows);
	if (rows.length < 1 || rows.length > limits.tableRows)
		return `a table has ${rows.length} rows (allowed: 1 to ${limits.tableRows})`;
	if (columns < 1 || columns > limits.tableColumns)
		return `a table has ${columns} columns (allowed: 1 to ${limits.tableColumns})`;
	if (rows.some((row) => row.length !== columns)) return "the rows of a table have different lengths";
	return characters > limits.tableCharacters
		? `a table has ${characters} characters (maximum ${limits.tableCharacters})`
		: undefined;
}

export function tableLength(rows: TableBlock["rows"]): number {
	return rows.flat().reduce((sum, cell) => sum + cellLength(cell), 0);
}

/** Converts a table to aligned code of at most `codeColumns` columns, or otherwise to a list of its rows. */
export function otherwise(table: Table): Block[] {
	const lines = alignedLines(table);
	const widest = Math.max(...lines.map(columnsOf));
	if (widest <= codeColumns) return [{ type: "code", lang: undefined, value: lines.join("\n") }];
	return narrowTables([table], 0);
}

function cellLength(cell: TableBlock["rows"][number][number]): number {
	return cell.type === "rich_text" ? richTextLength(cell) : cell.text.length;
}
