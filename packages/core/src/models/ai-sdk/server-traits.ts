/** Peculiarities of a server, beside those of its API. */
export interface ServerTraits {
	/** `short` for servers that accept only ids of calls with nine letters and digits. */
	readonly callIds?: "any" | "short";
	/**
	 * Thinking without metadata that returns to the server.
	 * - none: the server refuses it.
	 * - turn: that of the current turn. This is the default.
	 * - all: that of all turns. The server refuses calls without thinking, so that other calls get a blank one.
	 */
	readonly returnedThinking?: "none" | "turn" | "all";
	/** Efforts that the server knows, the lowest first. Another effort becomes the next higher one, or the highest. */
	readonly efforts?: readonly Effort[];
}

/** Efforts of the provider interface, the lowest first. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

/** The nearest effort that the server knows. */
export function nearestEffort(requested: Effort, known: readonly Effort[]): Effort | undefined {
	return known.find((one) => efforts.indexOf(one) >= efforts.indexOf(requested)) ?? known.at(-1);
}
