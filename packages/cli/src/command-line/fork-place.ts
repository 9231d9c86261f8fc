/**
 * Reads the position of a fork: the number of a message, for example `3`, or minus the number of messages to
 * omit at the end, for example `-1`. Undefined for any other text.
 */
export function forkPlace(text: string): number | undefined {
	return /^-?[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}
