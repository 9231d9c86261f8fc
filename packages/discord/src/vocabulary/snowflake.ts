/** Start of the time in Discord's ids: reference#snowflakes */
const epoch = 1_420_070_400_000;

/** Returns the creation time of an id, in milliseconds since the Unix epoch. */
export function momentOf(id: string): number {
	return Number(BigInt(id) >> 22n) + epoch;
}

/** Returns the lowest id for a time in milliseconds since the Unix epoch. Ids from before that time are lower. */
export function snowflakeAt(at: number): string {
	return String(BigInt(Math.max(0, Math.floor(at) - epoch)) << 22n);
}
