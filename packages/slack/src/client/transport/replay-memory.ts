import type { Clock } from "@parley/base";

/** A signature counts for five minutes, and clocks may differ by as much. */
const keptMs = 11 * 60_000;
const mostKept = 20_000;

/**
 * Remembers signed requests for as long as their signatures count: whoever sends one again gets what came of the first
 * one, and nothing happens twice. What was not taken is forgotten, so that it can be sent again.
 */
export class ReplayMemory<Result> {
	readonly #clock: Clock;
	/** No cache: an evicted signature could be used again. */
	readonly #known = new Map<string, { readonly result: Promise<Result>; readonly until: number }>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The result of `work` for this signature, which is done once. Undefined where too many are known to take one more. */
	once(signature: string, work: () => Promise<Result>): Promise<Result> | undefined {
		const now = this.#clock.monotonic();
		for (const [old, { until }] of this.#known) {
			if (until > now) break;
			this.#known.delete(old);
		}
		const known = this.#known.get(signature);
		if (known !== undefined) return known.result;
		if (this.#known.size >= mostKept) return undefined;
		const result = work();
		this.#known.set(signature, { result, until: now + keptMs });
		result.catch(() => this.#known.delete(signature));
		return result;
	}
}
