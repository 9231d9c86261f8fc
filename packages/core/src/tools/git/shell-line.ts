/** Words as a shell would read them as just these words; those that need no quotes stand as they are. */
export function shellLine(words: readonly string[]): string {
	return words.map((word) => (/^[\w@%+=:,./^-]+$/.test(word) ? word : quote(word))).join(" ");
}

function quote(word: string): string {
	return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
