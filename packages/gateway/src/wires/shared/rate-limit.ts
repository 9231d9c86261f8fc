import { type Clock, ParleyError } from "@parley/base";

const perSecond = 50;
const burst = 100;
/** Above this many the full ones are forgotten: a bucket that is full says nothing. */
const sweepAbove = 4096;

interface Bucket {
	tokens: number;
	at: number;
}

/** Requests per second, counted per session, or per connection where there is none. */
export class RateLimit {
	readonly #clock: Clock;
	readonly #onRefused: () => void;
	readonly #buckets = new Map<unknown, Bucket>();

	constructor(clock: Clock, onRefused: () => void = () => undefined) {
		this.#clock = clock;
		this.#onRefused = onRefused;
	}

	/** Counts one request; throws `resource_exhausted` when there were too many. */
	take(key: unknown): void {
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
