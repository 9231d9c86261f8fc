import type { Clock } from "@parley/base";

/** Discord's epoch, the first second of 2015: https://discord.com/developers/docs/reference#snowflakes */
const epoch = 1_420_070_400_000;
/** Bits below the time: worker, process and increment in Discord's ids, here all of them a counter. */
const countBits = 22n;

/** Ids as Discord makes them: ordered by time, and by creation where times are the same. */
export class Snowflakes {
	readonly #clock: Clock;
	#time = 0;
	#count = 0n;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	create(): string {
		// Never back, also where the clock goes back: what is created later has the larger id.
		const time = Math.max(Math.floor(this.#clock.now()), this.#time);
		this.#count = time === this.#time ? this.#count + 1n : 0n;
		this.#time = time;
		return String((BigInt(time - epoch) << countBits) | this.#count);
	}
}

/** When the id was made, in milliseconds since the epoch. */
export function timeOf(id: string): number {
	return Number(BigInt(id) >> countBits) + epoch;
}
