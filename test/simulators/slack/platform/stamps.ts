import type { Clock } from "@parley/base";

/**
 * Creates ids and timestamps in Slack's format. They are unique, and each timestamp is later than the earlier
 * ones.
 */
export class Stamps {
	readonly #clock: Clock;
	#last = 0;
	#count = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Creates a message timestamp that is later than all earlier timestamps, for example `1767225600.000000`. */
	create(): string {
		this.#last = Math.max(this.#last + 1, Math.floor(this.#clock.now() * 1000));
		const micros = String(this.#last).padStart(7, "0");
		return `${micros.slice(0, -6)}.${micros.slice(-6)}`;
	}

	/** Creates a unique id with a prefix, for example `U` for a user. */
	id(prefix: string): string {
		this.#count += 1;
		const moment = Math.floor(this.#clock.now()).toString(36).padStart(8, "0");
		const id = `${prefix}${moment}${this.#count.toString(36).padStart(3, "0")}`.toUpperCase();
		return id.replace(/^EV/, "Ev");
	}
}

/** Returns the time of a message timestamp, in milliseconds since the epoch. */
export function momentOf(ts: string): number {
	return Math.floor(Number(ts) * 1000);
}
