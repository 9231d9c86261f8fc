import { shorten } from "./shorten.ts";
import type { OutputFormat } from "./styles.ts";
import { widthOf } from "./wrap.ts";

/**
 * Aligns cells in columns. Two spaces separate the columns, and rows have no trailing spaces. Columns in
 * `right` are right-aligned.
 */
export function alignColumns(
	rows: readonly (readonly string[])[],
	right: ReadonlySet<number> = new Set(),
): string[] {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => widthOf(row[column] ?? ""))),
	);
	return rows.map((row) =>
		row
			.map((cell, column) => {
				const blanks = " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
				return right.has(column) ? blanks + cell : cell + blanks;
			})
			.join("  ")
			.trimEnd(),
	);
}

/** Content of a table. Cells are plain text, and the first row is the header. */
export interface Table {
	readonly rows: readonly (readonly string[])[];
	/** Indexes of right-aligned columns, which contain numbers. */
	readonly right?: readonly number[];
	/** Indexes of columns that are omitted, in this order, if the terminal is too narrow. */
	readonly optional?: readonly number[];
	/** Index of the column that is shortened if the table is still too wide. */
	readonly elastic: number;
}

/** Minimum width of an elastic column. */
const leastColumns = 10;

/** Returns the rows of a table with a header. The rows are at most as wide as the terminal. */
export function tableRows(table: Table, { columns, styles }: OutputFormat): string[] {
	const { rows, right, elastic, optional = [] } = table;
	const numbers = new Set(right);
	const excess = Math.max(0, ...alignColumns(rows, numbers).map(widthOf)) - columns;
	const [first, ...others] = optional;
	if (excess > 0 && first !== undefined) {
		return tableRows(without(first, { ...table, optional: others }), { columns, styles });
	}
	const widest = Math.max(0, ...rows.map((row) => widthOf(row[elastic] ?? "")));
	const max = excess > 0 ? Math.max(leastColumns, widest - excess) : widest;
	const cells = rows.map((row) => row.map((cell, at) => (at === elastic ? shorten(cell, max) : cell)));
	return alignColumns(cells, numbers)
		.map((row) => shorten(row, columns))
		.map((row, index) => (index === 0 ? styles.dim(row) : row));
}

function without(column: number, { rows, right = [], optional = [], elastic }: Table): Table {
	const move = (at: number): number => (at > column ? at - 1 : at);
	return {
		rows: rows.map((row) => row.filter((_, at) => at !== column)),
		right: right.filter((at) => at !== column).map(move),
		optional: optional.map(move),
		elastic: move(elastic),
	};
}
