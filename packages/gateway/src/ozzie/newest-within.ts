/** What one answer may carry: far below a client's budget, whatever fifty messages of a megabyte would come to. */
const answerBytes = 4 * 1024 * 1024;

/** The newest of `items` (oldest first) that fit into `bytes` together, at least one; older ones are for another page. */
export function newestWithin<T>(items: readonly T[], sizeOf: (item: T) => number, bytes = answerBytes): T[] {
	let left = bytes;
	const first = items.findLastIndex((item) => {
		left -= sizeOf(item);
		return left < 0;
	});
	return items.slice(Math.min(first + 1, items.length - 1));
}
