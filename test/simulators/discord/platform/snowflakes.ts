import type { Clock } from "@parley/base";

/** Discord's epoch, the first second of 2015: https://discord.com/developers/docs/reference#snowflakes */
const epoch = 1_420_070_400_000;
/**
 * Number of low bits of an id. In Discord's ids, these bits contain the worker, the process and an increment. In
 * this simulator, they are one counter.
 */
const countBits = 22n;

/** Creates ids in Discord's format. Each id is larger than the earlier ids. */
export class Snowflakes {
	readonly #clock: Clock;
	#time = 0;
	#count = 0n;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	create(): string {
		// The time never decreases, even if the clock does, so that a later id is larger.
		const time = Math.max(Math.floor(this.#clock.now()), this.#time);
		this.#count = time === this.#time ? this.#count + 1n : 0n;
		this.#time = time;
		return String((BigInt(time - epoch) << countBits) | this.#count);
	}
}

/** Returns the creation time of the id, in milliseconds since the epoch. */
export function timeOf(id: string): number {
	return Number(BigInt(id) >> countBits) + epoch;
}
