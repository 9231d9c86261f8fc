import type { Clock } from "@parley/base";

/** A number of units that may be used at once, and how many become free each second. */
export interface Rate {
	readonly max: number;
	readonly perSecond: number;
}

/** Limits of the messages of a server, local or remote. */
export const serverLimits = {
	maxMessageBytes: 8 * 1024 * 1024,
	/** Values of one message: results may have long lists. */
	maxNodes: 200_000,
	bytes: { max: 64 * 1024 * 1024, perSecond: 1024 * 1024 },
	messages: { max: 2_000, perSecond: 50 },
} as const;

/** Counts what a server sends. A server that sends more than its rate is a flood. */
export class Allowance {
	readonly #rate: Rate;
	readonly #clock: Clock;
	#left: number;
	#at: number;

	constructor(rate: Rate, clock: Clock) {
		this.#rate = rate;
		this.#clock = clock;
		this.#left = rate.max;
		this.#at = clock.monotonic();
	}

	/** Returns false if the units exceed what is left. */
	spend(units: number): boolean {
		const now = this.#clock.monotonic();
		const { max, perSecond } = this.#rate;
		this.#left = Math.min(max, this.#left + ((now - this.#at) / 1_000) * perSecond);
		this.#at = now;
		if (units > this.#left) return false;
		this.#left -= units;
		return true;
	}
}
