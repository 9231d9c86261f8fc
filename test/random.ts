import { randomInt } from "node:crypto";

const usualSeed = 20_261_128;

/**
 * Returns the seed of this run: `PARLEY_TEST_SEED` if it is set. Otherwise, returns a random number in the long
 * runs, and a constant in `npm test` and `npm run test:ci`. Failing tests must print the seed, because
 * `PARLEY_TEST_SEED` repeats the run.
 */
export function testSeed(): number {
	const fixedSeed = process.env["PARLEY_TEST_SEED"];
	if (fixedSeed !== undefined) return Number(fixedSeed);
	return process.env["PARLEY_TEST_SCALE"] === "full" ? randomInt(2 ** 31) : usualSeed;
}

/**
 * Returns the factor for the default sizes of a test. It is 1 by default, `ci` for `npm run test:ci`, and `full` for
 * the long runs of `npm run fuzz` and `npm run chaos` (`PARLEY_TEST_SCALE=full`). If `full` is omitted, it equals
 * `ci`.
 */
export function testScale(ci: number, full = ci): number {
	const scale = process.env["PARLEY_TEST_SCALE"] ?? "everyday";
	if (scale === "everyday") return 1;
	if (scale === "ci") return ci;
	if (scale === "full") return full;
	throw new Error(`PARLEY_TEST_SCALE is "${scale}": use ci or full, or leave it unset`);
}

/** A seeded random generator: the same seed returns the same numbers (mulberry32, Tommy Ettinger). */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** Returns an integer from 0 to `limit` - 1. */
	below(limit: number): number {
		return Math.floor(this.next() * limit);
	}

	/** Returns an integer from `least` to `maximum`, inclusive. */
	between(least: number, maximum: number): number {
		return least + this.below(maximum - least + 1);
	}

	chance(probability: number): boolean {
		return this.next() < probability;
	}

	pick<Item>(items: readonly Item[]): Item {
		const item = items[this.below(items.length)];
		if (item === undefined) throw new Error("nothing to pick from");
		return item;
	}

	shuffle<Item>(items: readonly Item[]): Item[] {
		return items
			.map((item) => ({ item, place: this.next() }))
			.sort((one, other) => one.place - other.place)
			.map(({ item }) => item);
	}
}
