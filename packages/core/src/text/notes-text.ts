import { definedItems } from "@parley/base";
import type { Memory } from "../vocabulary/memory.ts";
import { lineEnds } from "../vocabulary/message.ts";
import { noteTexts } from "./texts.ts";

/** Maximum characters of the notes at the start of a run: about 1,000 tokens. */
const maxCharacters = 4_000;
/** Maximum characters of the notes in one tool result. A longer result would be stored in a file. */
const maxResultCharacters = 24_000;
/** Maximum number of notes that the gateway adds at the start of a run. */
export const maxNotes = 8;

/** Whether a text block of a message contains notes that the gateway added. */
export function isNotesText(text: string): boolean {
	return text.startsWith(noteTexts.beginning);
}

/** Returns the notes as text for the model, or "" if there are no notes. */
export function notesText(notes: readonly Memory[]): string {
	return notes.length === 0 ? "" : [noteTexts.header, ...notes.map(noteText)].join("\n");
}

/** Returns the text of a tool result with notes. If some of the notes do not fit, the text states their number. */
export function notesResult(notes: readonly Memory[]): string {
	const fitting = withinBudget(notes, maxResultCharacters);
	const missing = notes.length - fitting.length;
	return definedItems([
		noteTexts.result,
		...fitting.map(noteText),
		missing === 0 ? undefined : noteTexts.moreNotes(missing),
	]).join("\n");
}

/** Returns the notes that together fit the character budget of a run. Keeps the order of `notes`. */
export function withinNotesBudget(notes: readonly Memory[]): Memory[] {
	return withinBudget(notes, maxCharacters - 2 * noteTexts.header.length);
}

function withinBudget(notes: readonly Memory[], characters: number): Memory[] {
	let left = characters;
	return notes.filter((note) => {
		const { length } = noteText(note);
		if (length > left) return false;
		left -= length + 1;
		return true;
	});
}

function noteText({ id, scope, author, text, tags }: Memory): string {
	const facts = [id, `for ${scope}`, `by ${author}`, ...tags.map((tag) => `#${tag}`)].join(", ");
	return `${facts}\n${text}`
		.split(lineEnds)
		.map((line) => `> ${line}`)
		.join("\n");
}
