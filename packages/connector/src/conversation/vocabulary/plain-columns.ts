import { columnsOf } from "../../text/columns.ts";
import { oneLine, plainLine } from "./plain.ts";

/** Returns untrusted text in one line of at most `columns` columns, as Markdown without formatting. */
export function plainColumns(text: string, columns: number): string {
	return plainLine(lineOfColumns(text, columns), Number.POSITIVE_INFINITY);
}

/** Returns untrusted text in one line of at most `columns` columns. */
export function lineOfColumns(text: string, columns: number): string {
	const singleLine = oneLine(text, Number.POSITIVE_INFINITY);
	if (columnsOf(singleLine) <= columns) return singleLine;
	let least = 0;
	let over = singleLine.length;
	while (over - least > 1) {
		const middle = (least + over) >> 1;
		if (columnsOf(oneLine(text, middle)) <= columns) least = middle;
		else over = middle;
	}
	return oneLine(text, least);
}
