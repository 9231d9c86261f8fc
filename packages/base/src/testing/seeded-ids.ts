import { createIds, type Ids } from "../ids.ts";

/**
 * Returns a source of ids in the form of real ids. Sources with the same seed create the same ids in the same order.
 */
export function seededIds(seed: number): Ids {
	let state = seed >>> 0;
	// A linear congruential generator with the constants of Numerical Recipes. Only the high bits of the state are
	// sufficiently random.
	const nextByte = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state >>> 24;
	};
	return createIds((bytes) => Uint8Array.from({ length: bytes }, nextByte));
}
