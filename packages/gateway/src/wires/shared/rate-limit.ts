import { type Clock, ParleyError } from "@parley/base";

const perSecond = 50;
const burst = 100;
/**
 * Number of buckets above which full buckets are deleted. This does not change the limit, because new buckets are
 * full.
 */
const sweepAbove = 4096;

interface Bucket {
	tokens: number;
	at: number;
}

/** Token buckets for requests by key, for example a session or a connection without a session. */
export class RateLimit {
	readonly #clock: Clock;
	readonly #onRefused: () => void;
	readonly #buckets = new Map<unknown, Bucket>();

	constructor(clock: Clock, onRefused: () => void = () => undefined) {
		this.#clock = clock;
		this.#onRefused = onRefused;
	}

	/** Counts a request. Throws `resource_exhausted` above the limit. */
	count(key: unknown): void {
		const at = this.#clock.monotonic();
		const known = this.#buckets.get(key);
		const tokens = known ? refilled(known, at) : burst;
		if (tokens < 1) {
			this.#onRefused();
			throw new ParleyError("rate limited", { code: "resource_exhausted" });
		}
		this.#buckets.set(key, { tokens: tokens - 1, at });
		if (this.#buckets.size > sweepAbove) this.#sweep(at);
	}

	#sweep(at: number): void {
		for (const [key, bucket] of this.#buckets) if (refilled(bucket, at) >= burst) this.#buckets.delete(key);
	}
}

function refilled({ tokens, at }: Bucket, now: number): number {
	return Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
}
