import { splitGraphemes, widthOf } from "./wrap.ts";

/** Returns the text if it fits into `columns` columns, otherwise its beginning followed by `…`. */
export function shorten(text: string, columns: number): string {
	if (widthOf(text) <= columns) return text;
	let short = "";
	let width = 1;
	for (const grapheme of splitGraphemes(text.slice(0, 4 * columns))) {
		width += widthOf(grapheme);
		if (width > columns) break;
		short += grapheme;
	}
	return `${short.trimEnd()}…`;
}
