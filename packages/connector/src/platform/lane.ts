/** Kinds of posts, the most urgent first. Typing is not a post and never stored. */
export const lanes = ["acknowledgement", "approval", "final", "error", "milestone", "progress"] as const;

/** One of `lanes`. */
export type Lane = (typeof lanes)[number];

const ranks: ReadonlyMap<string, number> = new Map(lanes.map((lane, rank) => [lane, rank]));

/** Lower ranks are first if the capacity is limited. */
export function rankOf(lane: Lane): number {
	return ranks.get(lane) ?? lanes.length;
}

export function isLane(text: string): text is Lane {
	return ranks.has(text);
}

/** People wait for acknowledgements and approvals with a time limit. */
export function isUrgent(lane: Lane): boolean {
	return lane === "acknowledgement" || lane === "approval";
}

/**
 * Group of lanes that keep the order of planning within a conversation: acknowledgements, approvals, and all others
 * together, so that no milestone appears after the answer. Progress edits cards and keeps only the order of its card.
 */
export function trackOf(lane: Lane): "acknowledgement" | "approval" | "story" | undefined {
	switch (lane) {
		case "acknowledgement":
		case "approval":
			return lane;
		case "final":
		case "error":
		case "milestone":
			return "story";
		case "progress":
			return;
	}
}
