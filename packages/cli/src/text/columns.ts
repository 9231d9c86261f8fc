import { widthOf } from "./wrap.ts";

/** Cells side by side, two blanks between the columns, no blanks at the ends of rows. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => widthOf(row[column] ?? ""))),
	);
	return rows.map((row) =>
		row
			.map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
			.join("  ")
			.trimEnd(),
	);
}
