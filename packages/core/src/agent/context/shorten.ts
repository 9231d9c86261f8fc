/** The least that is left out: the note in its place takes room as well. */
const slack = 60;

/** Head and tail of a text above about this number of characters, with a note about the omission. */
export function shorten(text: string, characters: number): string {
	if (text.length <= characters + slack) return text;
	const head = whole(text, Math.ceil(characters * 0.6));
	const tail = whole(text, text.length - Math.floor(characters * 0.4));
	return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`;
}

/** The text in one line of at most so many characters. */
export function oneLine(text: string, characters: number): string {
	const line = text.replaceAll(/\s+/g, " ").trim();
	return line.length <= characters ? line : `${line.slice(0, whole(line, characters))}…`;
}

/** An index that does not part the two halves of a character. */
function whole(text: string, index: number): number {
	const code = text.charCodeAt(index);
	return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/** The text, shortened until `measure` says that it takes no more than `most`. */
export function shortenTo(text: string, most: number, measure: (text: string) => number): string {
	let shown = text;
	let size = measure(shown);
	for (let characters = text.length; size > most && characters > slack; size = measure(shown)) {
		characters = Math.floor(characters * Math.min(0.9, most / size));
		shown = shorten(text, characters);
	}
	return size > most ? "" : shown;
}
