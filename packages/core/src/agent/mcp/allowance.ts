import type { Clock } from "@parley/base";

/** Maximum units at one time, and the number of units that become free each second. */
export interface Rate {
	readonly max: number;
	readonly perSecond: number;
}

/** Limits for messages from a local or remote server. */
export const serverLimits = {
	maxMessageBytes: 8 * 1024 * 1024,
	/** Maximum JSON values in one message. Results may contain long lists. */
	maxNodes: 200_000,
	bytes: { max: 64 * 1024 * 1024, perSecond: 1024 * 1024 },
	messages: { max: 2_000, perSecond: 50 },
} as const;

/** Limits the rate at which a server sends data. A higher rate is treated as a flood. */
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

	/** Uses `units` units and returns true if they are free. Otherwise uses no units and returns false. */
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
