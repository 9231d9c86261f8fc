import stringWidth from "string-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Units of a text after which a row can end: spaces, a word, or one character of a script without spaces. Punctuation
 * that must not begin a row belongs to the preceding unit.
 */
const UNITS =
	/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][\p{M}ー、。，．！？：；」』）】〉》]*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])\S)+/gu;

/** Returns the width of the text in terminal columns. A tab has the width 0, so expand tabs first. */
export function widthOf(text: string): number {
	return stringWidth(text);
}

/** Splits a text into user-perceived characters. */
export function splitGraphemes(text: string): string[] {
	return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/**
 * Wraps a text without escape sequences into rows of at most `columns` columns, if possible at spaces. Continuation
 * rows have the same indentation as their line. Every line has at least one row.
 */
export function wrapText(text: string, columns: number): string[] {
	return expandTabs(text)
		.split("\n")
		.flatMap((line) => wrapLine(line, columns).map((row) => row.trimEnd()));
}

/** Wraps a text that follows `first`. The next rows are indented by the width of `first`. */
export function hangText(first: string, text: string, columns: number): string[] {
	const width = widthOf(first);
	return wrapText(text, columns - width).map(
		(row, index) => `${index === 0 ? first : " ".repeat(width)}${row}`,
	);
}

/** A growing text. Later text can change only `last`. */
export interface Flow {
	readonly rows: readonly string[];
	readonly last: string;
}

/** Appends text to an incomplete row. Returns the completed rows and the new incomplete row. */
export function flowText(last: string, text: string, columns: number): Flow {
	const lines = expandTabs(last + text).split("\n");
	const open = wrapLine(lines.pop() ?? "", columns);
	const done = lines.flatMap((line) => wrapLine(line, columns));
	return { rows: [...done, ...open.slice(0, -1)].map((row) => row.trimEnd()), last: open.at(-1) ?? "" };
}

/** Replaces each tab with four spaces, because a tab stop would depend on the start of the row. */
export function expandTabs(text: string): string {
	return text.replaceAll("\t", "    ");
}

function wrapLine(line: string, columns: number): string[] {
	if (widthOf(line) <= columns) return [line];
	const indent = indentOf(line, columns);
	const rows: string[] = [];
	let row = indent;
	for (const unit of line.slice(indent.length).match(UNITS) ?? []) {
		const fits = widthOf(row + unit.trimEnd()) <= columns;
		if (!fits && row.trimEnd() !== indent.trimEnd()) {
			rows.push(row.trimEnd());
			row = indent;
		}
		if (row === indent && unit.trim() === "") continue;
		const pieces = splitWide(row + unit, columns, indent);
		row = pieces.pop() ?? indent;
		rows.push(...pieces);
	}
	return [...rows, row];
}

/**
 * Returns the spaces at the beginning of the line. Returns "" for a very deep indentation, because words need
 * space.
 */
function indentOf(line: string, columns: number): string {
	const [indent = ""] = /^ */.exec(line) ?? [];
	return indent.length > columns / 2 ? "" : indent;
}

/** Splits a text that is wider than `columns` columns. Trailing spaces alone do not split a text. */
function splitWide(text: string, columns: number, indent: string): string[] {
	if (widthOf(text.trimEnd()) <= columns) return [text];
	const rows: string[] = [];
	let row = "";
	let width = 0;
	for (const grapheme of splitGraphemes(text)) {
		const added = widthOf(grapheme);
		if (width + added > columns && width > indent.length) {
			rows.push(row);
			row = indent;
			width = indent.length;
		}
		row += grapheme;
		width += added;
	}
	return [...rows, row];
}
