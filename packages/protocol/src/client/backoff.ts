const firstMs = 250;
const mostMs = 10_000;

/**
 * Milliseconds to wait before the try after `failures` failed ones: anything up to a bound that doubles from 250 ms to
 * 10 s. The whole span is random, so that clients that lost one gateway together do not come back together.
 */
export function retryDelayMs(failures: number, chance: number): number {
	return Math.round(chance * Math.min(mostMs, firstMs * 2 ** failures));
}
