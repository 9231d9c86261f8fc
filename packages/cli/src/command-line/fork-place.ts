/**
 * Place of a fork: the number of a message, such as `3`, or the number of messages that it leaves out, such as `-1`. Undefined
 * for any other text.
 */
export function forkPlace(text: string): number | undefined {
	return /^-?[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}
