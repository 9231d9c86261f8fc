/** Returns the text as one word of a POSIX shell. Quotes the text only if necessary. */
export function shellWord(text: string): string {
	return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
