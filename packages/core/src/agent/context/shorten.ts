/** Minimum number of omitted characters, because the marker also needs space. */
const slack = 60;

/**
 * Shortens a text of more than about `characters` characters to its head and tail, with a marker between head and tail.
 */
export function shortenMiddle(text: string, characters: number): string {
	if (text.length <= characters + slack) return text;
	const head = codePointStart(text, Math.ceil(characters * 0.6));
	const tail = codePointStart(text, text.length - Math.floor(characters * 0.4));
	return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`;
}

/** Returns the text in one line. Replaces the text after `characters` characters with `…`. */
export function cutLine(text: string, characters: number): string {
	const line = text.replaceAll(/\s+/g, " ").trim();
	return line.length <= characters ? line : `${line.slice(0, codePointStart(line, characters))}…`;
}

/** Returns `index`, or the index before it if `index` would split a surrogate pair. */
function codePointStart(text: string, index: number): number {
	const code = text.charCodeAt(index);
	return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/** Shortens the text until `measure` returns at most `max`. Returns "" if the shortest form is still too large. */
export function shortenTo(text: string, max: number, measure: (text: string) => number): string {
	let shown = text;
	let size = measure(shown);
	for (let characters = text.length; size > max && characters > slack; size = measure(shown)) {
		characters = Math.floor(characters * Math.min(0.9, max / size));
		shown = shortenMiddle(text, characters);
	}
	return size > max ? "" : shown;
}
