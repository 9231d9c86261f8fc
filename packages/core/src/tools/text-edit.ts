import { occurrences } from "./occurrences.ts";

export interface TextChange {
	readonly oldText: string;
	readonly newText: string;
	/** Which of the places that hold the old text: the only one there is, the nth (from 1), or all. */
	readonly which: "only" | "all" | number;
	/** No longer text is made: what would be longer is not made at all. Counted in UTF-16 units. */
	readonly maxLength: number;
}

/** `lines` are those in which the old text begins, from 1: of the places changed, or of all that were found. */
export type TextEdit =
	| { readonly kind: "edited"; readonly text: string; readonly lines: readonly number[] }
	| { readonly kind: "not-one"; readonly lines: readonly number[] }
	| { readonly kind: "too-long" };

/**
 * Puts the new text in the place of the old one, which has to be there exactly. Where all lines of the text end alike
 * (`\n` or `\r\n`), the ends of lines in the change are taken for that one, so that they stay as they are.
 */
export function editText(text: string, change: TextChange): TextEdit {
	const returns = text.includes("\r\n");
	const plain = text.includes("\n") && !returns;
	if (plain) return replacePlaces(text, withPlainLines(change));
	if (!returns || /(?<!\r)\n/.test(text)) return replacePlaces(text, change);
	const edit = replacePlaces(text.replaceAll("\r\n", "\n"), withPlainLines(change));
	return edit.kind === "edited" ? { ...edit, text: edit.text.replaceAll("\n", "\r\n") } : edit;
}

function withPlainLines(change: TextChange): TextChange {
	const plain = (text: string): string => text.replaceAll("\r\n", "\n");
	return { ...change, oldText: plain(change.oldText), newText: plain(change.newText) };
}

function replacePlaces(text: string, { oldText, newText, which, maxLength }: TextChange): TextEdit {
	const found = occurrences(text, oldText);
	const chosen = which === "all" ? apart(found, oldText.length) : chooseOne(found, which);
	if (chosen.length === 0) return { kind: "not-one", lines: linesOf(text, found) };
	const length = text.length + chosen.length * (newText.length - oldText.length);
	if (length > maxLength) return { kind: "too-long" };
	const parts: string[] = [];
	let end = 0;
	for (const start of chosen) {
		parts.push(text.slice(end, start), newText);
		end = start + oldText.length;
	}
	return { kind: "edited", text: parts.join("") + text.slice(end), lines: linesOf(text, chosen) };
}

function chooseOne(found: readonly number[], which: "only" | number): readonly number[] {
	if (which === "only") return found.length === 1 ? found : [];
	return found.slice(which - 1, which);
}

/** Leaves out the places that overlap with one before. */
function apart(found: readonly number[], length: number): number[] {
	const kept: number[] = [];
	for (const start of found) if (start >= (kept.at(-1) ?? -length) + length) kept.push(start);
	return kept;
}

/** The numbers of the lines at these places, which are in ascending order. */
function linesOf(text: string, places: readonly number[]): number[] {
	let [line, at] = [1, 0];
	return places.map((place) => {
		for (; at < place; at += 1) if (text.charCodeAt(at) === 0x0a) line += 1;
		return line;
	});
}
