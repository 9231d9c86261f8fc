/** Maximum number of deltas in one tick that the core passes on one by one. */
export const deltasPerTick = 8;

export const deltaText = " word".repeat(2);
