import { visibleLine } from "../text/visible.ts";
import { splitGraphemes, widthOf } from "../text/wrap.ts";
import type { Editor } from "./editor.ts";

/** Rows that are drawn again whenever they change, and where the cursor stands in them. */
export interface Frame {
	readonly rows: readonly string[];
	readonly cursor: { readonly row: number; readonly column: number };
}

export interface EditorLook {
	/** Stands before the first row; the others are indented by its width. */
	readonly prompt: string;
	readonly columns: number;
	/** Of a longer text the part around the cursor is shown. */
	readonly mostRows: number;
	/** Shows a star for every character. */
	readonly masked: boolean;
}

/** Lays out the line that is being typed. */
export function editorRows(editor: Editor, look: EditorLook): Frame {
	const { prompt, masked, mostRows } = look;
	const indent = " ".repeat(widthOf(prompt));
	// One column stays free, so that the cursor always stands behind a character and in its row.
	const width = Math.max(indent.length + 2, look.columns - 1);
	const rows = [prompt];
	let column = indent.length;
	let at = 0;
	let cursor = { row: 0, column };
	const breakRow = (): void => {
		column = indent.length;
		rows.push(indent);
	};
	const markCursor = (): void => {
		if (at === editor.cursor) cursor = { row: rows.length - 1, column };
	};
	for (const grapheme of splitGraphemes(editor.text)) {
		const shown = masked ? "*" : showGrapheme(grapheme);
		if (column + widthOf(shown) > width) breakRow();
		markCursor();
		if (grapheme === "\n" && !masked) breakRow();
		rows.push(`${rows.pop()}${shown}`);
		column += widthOf(shown);
		at += grapheme.length;
	}
	markCursor();
	return cut({ rows, cursor }, mostRows);
}

function showGrapheme(grapheme: string): string {
	if (grapheme === "\n") return "";
	return grapheme === "\t" ? "    " : visibleLine(grapheme);
}

function cut({ rows, cursor }: Frame, mostRows: number): Frame {
	const first = Math.max(0, Math.min(cursor.row - mostRows + 1, rows.length - mostRows));
	return { rows: rows.slice(first, first + mostRows), cursor: { ...cursor, row: cursor.row - first } };
}
