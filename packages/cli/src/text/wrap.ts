import stringWidth from "string-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Parts of a text after which a row can end: spaces, a word, or one character of a script without spaces, with the
 * punctuation that must not begin a row.
 */
const UNITS =
	/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][\p{M}ー、。，．！？：；」』）】〉》]*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])\S)+/gu;

/** Number of terminal columns of the text. Tabs have width 0, so expand them first. */
export function widthOf(text: string): number {
	return stringWidth(text);
}

/** Splits a text into user-perceived characters. */
export function splitGraphemes(text: string): string[] {
	return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/**
 * Wraps a text without escape sequences into rows of at most `columns`, at spaces if possible. Continued rows keep the
 * indentation of their line. Every line has at least one row.
 */
export function wrapText(text: string, columns: number): string[] {
	return expandTabs(text)
		.split("\n")
		.flatMap((line) => wrapLine(line, columns).map((row) => row.trimEnd()));
}

/** A growing text: final rows, and the last row, which may still change. */
export interface Flow {
	readonly rows: readonly string[];
	readonly last: string;
}

/** Continues the last row of a flow with more text. */
export function flowText(last: string, text: string, columns: number): Flow {
	const lines = expandTabs(last + text).split("\n");
	const open = wrapLine(lines.pop() ?? "", columns);
	const done = lines.flatMap((line) => wrapLine(line, columns));
	return { rows: [...done, ...open.slice(0, -1)].map((row) => row.trimEnd()), last: open.at(-1) ?? "" };
}

/** A tab becomes four columns: a tab stop would depend on the start of the row. */
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

/** Continued rows need room for words: a very deep indentation is not repeated. */
function indentOf(line: string, columns: number): string {
	const [indent = ""] = /^ */.exec(line) ?? [];
	return indent.length > columns / 2 ? "" : indent;
}

/** Splits a unit that is wider than one row. Spaces at its end are not counted. */
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
