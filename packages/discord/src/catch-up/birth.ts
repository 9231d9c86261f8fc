import type { Clock } from "@parley/base";

/** Keeps when the database was made, in milliseconds since the epoch. */
export interface BirthStore {
	load(): Promise<number | undefined>;
	save(at: number): Promise<void>;
}

/**
 * When this database was made: what the gateway has heard since it has heard from here, which tells nothing of what was
 * missed. Kept before anything is taken.
 */
export async function birthOf(store: BirthStore, clock: Clock): Promise<number> {
	const known = await store.load();
	if (known !== undefined) return known;
	const now = clock.now();
	await store.save(now);
	return now;
}
