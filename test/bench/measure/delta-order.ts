/** Deltas of one tick: the maximum that the core passes on one by one. */
export const deltasPerTick = 8;

export const deltaText = " word".repeat(2);
