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

/** Puts the new text in the place of the old one, which has to be there exactly; for ends of lines see `lineEndsOf`. */
export function editText(text: string, change: TextChange): TextEdit {
	const ends = lineEndsOf(text);
	const { oldText, newText } = change;
	const fitting = { ...change, oldText: ends.adapt(oldText), newText: ends.adapt(newText) };
	const edit = replacePlaces(ends.text, fitting);
	return edit.kind === "edited" ? { ...edit, text: ends.restore(edit.text) } : edit;
}

/** A text as it is compared with what `adapt` makes of a part; `restore` gives it its ends of lines again. */
export interface LineEnds {
	readonly text: string;
	adapt(part: string): string;
	restore(edited: string): string;
}

/**
 * Where all lines of the text end alike (`\n` or `\r\n`), the ends of lines in a change are taken for that one, so that
 * they stay as they are.
 */
export function lineEndsOf(text: string): LineEnds {
	const same = (part: string): string => part;
	const plain = (part: string): string => part.replaceAll("\r\n", "\n");
	const returns = text.includes("\r\n");
	if (text.includes("\n") && !returns) return { text, adapt: plain, restore: same };
	if (!returns || /(?<!\r)\n/.test(text)) return { text, adapt: same, restore: same };
	return { text: plain(text), adapt: plain, restore: (edited) => edited.replaceAll("\n", "\r\n") };
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
export function linesOf(text: string, places: readonly number[]): number[] {
	let [line, at] = [1, 0];
	return places.map((place) => {
		for (; at < place; at += 1) if (text.charCodeAt(at) === 0x0a) line += 1;
		return line;
	});
}
