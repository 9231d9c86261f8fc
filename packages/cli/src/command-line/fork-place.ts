/**
 * Returns the position of a fork, or undefined for any other text. A position is the number of a message, for
 * example `3`. `-1` omits one message at the end.
 */
export function forkPlace(text: string): number | undefined {
	return /^-?[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}
