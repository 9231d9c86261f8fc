import { createIds, type Ids } from "../ids.ts";

/** Returns ids with the form of real ids. The same seed always returns the same ids. */
export function seededIds(seed: number): Ids {
	let state = seed >>> 0;
	// A linear congruential generator with the constants of Numerical Recipes. Only its high bits are sufficiently
	// random.
	const nextByte = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state >>> 24;
	};
	return createIds((bytes) => Uint8Array.from({ length: bytes }, nextByte));
}
