/** Properties of a server in addition to the properties of its API. */
export interface ServerTraits {
	/** Form of call ids. `short`: the server accepts only nine letters and digits. */
	readonly callIds?: "any" | "short";
	/**
	 * Thinking to send back to the server. Applies only to thinking without metadata.
	 * - none: no thinking, because the server refuses it.
	 * - turn: thinking of the current turn. This is the default.
	 * - all: thinking of all turns. The server refuses calls without thinking, so calls without thinking get blank
	 *   thinking.
	 */
	readonly returnedThinking?: "none" | "turn" | "all";
	/**
	 * Efforts that the server accepts, in ascending order. An unlisted effort becomes the next higher listed effort, or
	 * the highest listed effort if none is higher.
	 */
	readonly efforts?: readonly Effort[];
}

/** Efforts of the provider interface, in ascending order. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

/**
 * Returns the first effort in `known` that is not below the requested effort, or the last effort if all efforts are
 * below the requested effort. `known` is in ascending order. Returns undefined if `known` is empty.
 */
export function nearestEffort(requested: Effort, known: readonly Effort[]): Effort | undefined {
	return known.find((one) => efforts.indexOf(one) >= efforts.indexOf(requested)) ?? known.at(-1);
}
