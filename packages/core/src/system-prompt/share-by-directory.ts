import type { Clock } from "@parley/base";

/** A look at a directory that is no older than this is as good as another one. */
const FRESH_MS = 5_000;
/** Every look starts processes: with many at a time the machine does little else. */
const MAX_TOGETHER = 2;

/**
 * Shares looks at directories: those who ask within 5 seconds of one's end get what it saw, and at most two are under
 * way at a time. A look must not reject.
 */
export function shareByDirectory<T>(
	look: (directory: string) => Promise<T>,
	clock: Clock,
): (directory: string) => Promise<T> {
	/** When each was seen, on the monotonic clock; Infinity while it is under way. */
	const seen = new Map<string, { readonly result: Promise<T>; at: number }>();
	const waiting: (() => void)[] = [];
	let free = MAX_TOGETHER;

	async function takeTurn(directory: string): Promise<T> {
		if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
		else free -= 1;
		try {
			return await look(directory);
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free += 1;
		}
	}

	return (directory) => {
		for (const [key, { at }] of seen) if (at <= clock.monotonic() - FRESH_MS) seen.delete(key);
		const known = seen.get(directory);
		if (known) return known.result;
		const entry = { result: takeTurn(directory), at: Number.POSITIVE_INFINITY };
		seen.set(directory, entry);
		void entry.result.then(() => {
			entry.at = clock.monotonic();
		});
		return entry.result;
	};
}
