/** What posts are for, the most urgent first. Typing is no post: it is never kept. */
export const lanes = ["acknowledgement", "approval", "final", "error", "milestone", "progress"] as const;

/** One of `lanes`. */
export type Lane = (typeof lanes)[number];

const ranks: ReadonlyMap<string, number> = new Map(lanes.map((lane, rank) => [lane, rank]));

/** Lower goes first where there is not room for all. */
export function rankOf(lane: Lane): number {
	return ranks.get(lane) ?? lanes.length;
}

export function isLane(text: string): text is Lane {
	return ranks.has(text);
}

/** Acknowledgements and approvals have people waiting at a clock. */
export function isUrgent(lane: Lane): boolean {
	return lane === "acknowledgement" || lane === "approval";
}

/**
 * Within a conversation, what stays in the order in which it was planned: acknowledgements among themselves, approvals
 * among themselves, and everything that tells the story (answers, errors, milestones) together, so that no milestone
 * shows up after the answer. Progress edits cards where they stand: it keeps only the order of its card.
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
