/** The first moment that Discord's ids can tell: reference#snowflakes. */
const epoch = 1_420_070_400_000;

/** When something with this id was made, in milliseconds since the epoch. */
export function momentOf(id: string): number {
	return Number(BigInt(id) >> 22n) + epoch;
}

/** The least id of a moment: what was made before it has a lower one. */
export function snowflakeAt(at: number): string {
	return String(BigInt(Math.max(0, Math.floor(at) - epoch)) << 22n);
}
