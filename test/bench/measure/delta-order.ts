/** Maximum number of deltas per tick that the core emits without combining them. */
export const deltasPerTick = 8;

export const deltaText = " word".repeat(2);
