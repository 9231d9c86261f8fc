import { alignedLines, type Block, columnsOf, narrowTables, type Table } from "@parley/connector";
import type { TableBlock } from "@slack/types";
import { limits } from "../vocabulary/limits.ts";
import { richTextLength, richTextLine } from "./rich-text.ts";

/** Code that is wider is wrapped, which no table survives. */
const codeColumns = 80;

/** A table as Slack has it; undefined where it is too large for that. */
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
	return cell.type === "rich_text" ? richTextLength(cell) : cell.text.length;
}
