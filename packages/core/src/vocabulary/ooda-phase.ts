/** The phases of a round in the mode `ooda`, in their order. Each is a model call of its own. */
export const oodaPhases = ["observe", "orient", "decide", "act"] as const;
export type OodaPhase = (typeof oodaPhases)[number];
