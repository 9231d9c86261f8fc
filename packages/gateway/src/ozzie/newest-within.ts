/** What one answer may carry: far below a client's budget, whatever fifty messages of a megabyte would come to. */
export const answerBytes = 4 * 1024 * 1024;

/** The newest of `items` (oldest first) that fit into `bytes` together, at least one; older ones are for another page. */
export function newestWithin<T>(items: readonly T[], sizeOf: (item: T) => number, bytes = answerBytes): T[] {
	let left = bytes;
	const first = items.findLastIndex((item) => {
		left -= sizeOf(item);
		return left < 0;
	});
	return items.slice(Math.min(first + 1, items.length - 1));
}

/** What a value takes on the wire. */
export function jsonBytes(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

/** The oldest of `items` (oldest first) that fit into `bytes` together, at least one; later ones are for another page. */
export function oldestWithin<T>(items: readonly T[], sizeOf: (item: T) => number, bytes = answerBytes): T[] {
	let left = bytes;
	const first = items.findIndex((item) => {
		left -= sizeOf(item);
		return left < 0;
	});
	return first < 0 ? [...items] : items.slice(0, Math.max(1, first));
}
