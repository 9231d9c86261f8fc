import { occurrences } from "../files/occurrences.ts";
import { lineEndsOf, linesOf } from "../files/text-edit.ts";

export interface Replacement {
	/** Not empty. */
	readonly oldText: string;
	readonly newText: string;
}

/**
 * `lines` are those in which the old texts begin, from 1: of the edits in the order of the text, or of all places where
 * the text of one edit was found. `edit`, `one` and `other` count the edits from 1.
 */
export type Replaced =
	| { readonly kind: "edited"; readonly text: string; readonly lines: readonly number[] }
	| { readonly kind: "not-one"; readonly edit: number; readonly lines: readonly number[] }
	| { readonly kind: "overlap"; readonly one: number; readonly other: number }
	| { readonly kind: "too-long" };

interface Placed extends Replacement {
	readonly edit: number;
	readonly start: number;
}

/**
 * Makes all edits or none. Each old text is looked for in the text as it is, whatever the others do, and has to be there
 * once; overlapping places count. Of several faults the first in the order of the list is told, overlaps last. No text
 * of more than `maxLength` UTF-16 units is made. For ends of lines see `lineEndsOf`.
 */
export function replaceTexts(
	original: string,
	replacements: readonly Replacement[],
	maxLength: number,
): Replaced {
	const { text, adapt, restore } = lineEndsOf(original);
	const placed: Placed[] = [];
	for (const [index, { oldText, newText }] of replacements.entries()) {
		const fitting = { oldText: adapt(oldText), newText: adapt(newText), edit: index + 1 };
		const found = occurrences(text, fitting.oldText);
		const [start] = found;
		if (start === undefined || found.length > 1) {
			return { kind: "not-one", edit: index + 1, lines: linesOf(text, found) };
		}
		placed.push({ ...fitting, start });
	}
	placed.sort((one, other) => one.start - other.start);
	const overlap = findOverlap(placed);
	if (overlap) return overlap;
	const grown = placed.reduce((sum, { oldText, newText }) => sum + newText.length - oldText.length, 0);
	if (text.length + grown > maxLength) return { kind: "too-long" };
	const starts = placed.map(({ start }) => start);
	return { kind: "edited", text: restore(put(text, placed)), lines: linesOf(text, starts) };
}

function findOverlap(placed: readonly Placed[]): Replaced | undefined {
	for (const [index, { start, edit }] of placed.entries()) {
		const before = placed[index - 1];
		if (!before || before.start + before.oldText.length <= start) continue;
		return { kind: "overlap", one: Math.min(before.edit, edit), other: Math.max(before.edit, edit) };
	}
	return undefined;
}

function put(text: string, placed: readonly Placed[]): string {
	const parts: string[] = [];
	let end = 0;
	for (const { start, oldText, newText } of placed) {
		parts.push(text.slice(end, start), newText);
		end = start + oldText.length;
	}
	return parts.join("") + text.slice(end);
}
