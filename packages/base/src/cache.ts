import { LRUCache } from "lru-cache";
import type { Clock } from "./clock.ts";

/** See `createCache`. */
export type Cache<Key extends string | number | object, Value extends NonNullable<unknown>> = LRUCache<
	Key,
	Value
>;

/**
 * Cache of at most `max` values that can be computed again. Evicts the least recently used value first; with
 * `retentionMs`, a value expires that many milliseconds after it was set. Not for limits, duplicates, pending work or
 * authentication, because an eviction would change the behaviour.
 */
export function createCache<Key extends string | number | object, Value extends NonNullable<unknown>>({
	max,
	retentionMs,
	clock,
	evicted,
}: {
	readonly max: number;
	readonly retentionMs?: number;
	readonly clock: { readonly monotonic: Clock["monotonic"] };
	/** Called with each value that is evicted because the cache is full. */
	readonly evicted?: (value: Value) => void;
}): Cache<Key, Value> {
	// lru-cache 11 reads a start of 0 as no expiry, and stores a value one millisecond longer than its `ttl`.
	const perf = { now: () => clock.monotonic() + 1 };
	// Without a resolution of 0, it would read the time once per millisecond of its own timer.
	const time = retentionMs === undefined ? {} : { perf, ttl: retentionMs - 1, ttlResolution: 0 };
	return new LRUCache<Key, Value>({
		// With `max`, it would allocate its arrays for that many values at once: megabytes for a cache that stays almost empty.
		maxSize: max,
		sizeCalculation: () => 1,
		...time,
		dispose: (value, _key, reason) => {
			if (reason === "evict") evicted?.(value);
		},
	});
}
