import { LRUCache } from "lru-cache";
import type { Clock } from "./clock.ts";

/** Cache with limited size: see `createCache`. */
export type Cache<Key extends string | number | object, Value extends NonNullable<unknown>> = LRUCache<
	Key,
	Value
>;

/**
 * Creates a cache of at most `max` values. The caller must be able to compute an evicted value again. A full cache
 * evicts the least recently used value. With `retentionMs`, a value expires `retentionMs` milliseconds after it was
 * set. Do not use a cache for limits, duplicates, pending work or authentication, because an eviction would change the
 * behaviour.
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
	/** Receives each value that was evicted because the cache is full. */
	readonly evicted?: (value: Value) => void;
}): Cache<Key, Value> {
	// lru-cache 11 treats a start time of 0 as no expiry, and expires a value one millisecond after its `ttl`.
	const perf = { now: () => clock.monotonic() + 1 };
	// With the default `ttlResolution` of 1, lru-cache would reuse an earlier time until its timer of 1 ms fires.
	const time = retentionMs === undefined ? {} : { perf, ttl: retentionMs - 1, ttlResolution: 0 };
	return new LRUCache<Key, Value>({
		// With its option `max`, lru-cache would immediately allocate arrays for the maximum number of values: megabytes
		// for an almost empty cache.
		maxSize: max,
		sizeCalculation: () => 1,
		...time,
		dispose: (value, _key, reason) => {
			if (reason === "evict") evicted?.(value);
		},
	});
}
