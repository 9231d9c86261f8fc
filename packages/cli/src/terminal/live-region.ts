import { widthOf } from "../text/wrap.ts";
import type { Frame } from "./editor.ts";

// Terminals with synchronised output show the complete change at once. Other terminals ignore these sequences.
const beginChange = "\u001b[?2026h";
const endChange = "\u001b[?2026l";
const eraseBelow = "\u001b[J";
const eraseRow = "\u001b[2K";

/**
 * Returns escape sequences that erase `previous`, print `rows` into the scrollback, and draw `next` below the
 * printed rows. No row may be wider than the terminal.
 */
export function drawChange(previous: Frame | undefined, rows: readonly string[], next: Frame): string {
	const printed = rows.map((row) => `${row}\r\n`).join("");
	const drawn = next.rows.join("\r\n") + placeCursor(next);
	return `${beginChange}${eraseFrame(previous)}${printed}${drawn}${endChange}`;
}

/**
 * Returns escape sequences that replace `previous` with a frame of the same height. Only changed rows are drawn,
 * to reduce the data on a slow connection.
 */
export function drawRows(previous: Frame, next: Frame): string {
	let at = previous.cursor.row;
	let drawn = "";
	for (const [row, text] of next.rows.entries()) {
		if (text === previous.rows[row]) continue;
		drawn += `${vertical(row - at)}\r${eraseRow}${text}`;
		at = row;
	}
	return `${beginChange}${drawn}${vertical(next.cursor.row - at)}\r${right(next.cursor.column)}${endChange}`;
}

/**
 * Returns escape sequences that erase the frame and move the cursor to its first row. Returns "" without a frame.
 */
export function eraseFrame(frame: Frame | undefined): string {
	return frame === undefined ? "" : `${up(frame.cursor.row)}\r${eraseBelow}`;
}

/**
 * Returns the frame after the terminal became narrower. Terminals wrap the rows above the cursor again, but
 * differ in how they treat the row of the cursor. `eraseFrame` may therefore erase too few rows, but never too
 * many.
 */
export function reflowFrame(frame: Frame, columns: number): Frame {
	const above = frame.rows.slice(0, frame.cursor.row);
	const row = above.reduce((sum, text) => sum + Math.max(1, Math.ceil(widthOf(text) / columns)), 0);
	return { ...frame, cursor: { ...frame.cursor, row } };
}

function placeCursor({ rows, cursor }: Frame): string {
	return `${up(rows.length - 1 - cursor.row)}\r${right(cursor.column)}`;
}

function right(columns: number): string {
	return columns > 0 ? `\u001b[${columns}C` : "";
}

function vertical(rows: number): string {
	return rows > 0 ? `\u001b[${rows}B` : up(-rows);
}

function up(rows: number): string {
	return rows > 0 ? `\u001b[${rows}A` : "";
}
