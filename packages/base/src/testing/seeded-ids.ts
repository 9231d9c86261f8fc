import { createIds, type Ids } from "../ids.ts";

/** Ids of the real form that are the same in every run with the same seed. */
export function seededIds(seed: number): Ids {
	let state = seed >>> 0;
	// A linear congruential generator with the constants of Numerical Recipes. Only its high bits are random enough.
	const nextByte = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state >>> 24;
	};
	return createIds((bytes) => Uint8Array.from({ length: bytes }, nextByte));
}
