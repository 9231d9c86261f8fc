/** The beginning of a text, with a mark where something is left out. */
export function shorten(text: string, most: number): string {
	return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
