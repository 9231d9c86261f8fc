/** Maximum number of bytes of the items in one response. */
export const pageBytes = 4 * 1024 * 1024;

/**
 * Returns the newest items, as many as fit into `bytes` together. `items` has the oldest item first. The newest item
 * is always included.
 */
export function newestWithin<T>(items: readonly T[], sizeOf: (item: T) => number, bytes = pageBytes): T[] {
	let left = bytes;
	const first = items.findLastIndex((item) => {
		left -= sizeOf(item);
		return left < 0;
	});
	return items.slice(Math.min(first + 1, items.length - 1));
}

export function jsonBytes(value: unknown): number {
	return Buffer.byteLength(JSON.stringify(value));
}

/** Returns the first items, as many as fit into `bytes` together. The first item is always included. */
export function firstWithin<T>(items: readonly T[], sizeOf: (item: T) => number, bytes = pageBytes): T[] {
	let left = bytes;
	const first = items.findIndex((item) => {
		left -= sizeOf(item);
		return left < 0;
	});
	return first < 0 ? [...items] : items.slice(0, Math.max(1, first));
}
