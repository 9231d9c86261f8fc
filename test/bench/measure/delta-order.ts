/** Deltas of one tick: as many as the core passes on one by one. */
export const deltasPerTick = 8;

/** The text of each delta. */
export const deltaText = " word".repeat(2);
