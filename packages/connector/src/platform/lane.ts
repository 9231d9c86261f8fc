/** Kinds of posts, the most urgent first. A typing indicator is not a post, and is never stored. */
export const lanes = ["acknowledgement", "approval", "final", "error", "milestone", "progress"] as const;

export type Lane = (typeof lanes)[number];

const ranks: ReadonlyMap<string, number> = new Map(lanes.map((lane, rank) => [lane, rank]));

/** Returns the rank of a lane. If the capacity is limited, lower ranks are sent first. */
export function rankOf(lane: Lane): number {
	return ranks.get(lane) ?? lanes.length;
}

export function isLane(text: string): text is Lane {
	return ranks.has(text);
}

/** Whether posts of a lane may use the reserved requests of the outbox. */
export function isUrgent(lane: Lane): boolean {
	return lane === "acknowledgement" || lane === "approval";
}

/**
 * Returns the group of a lane. Within a conversation, the posts of a group are sent in the order of planning,
 * except held posts. The groups are acknowledgements, approvals, and `story` for answers, errors and
 * milestones. Progress has no group: it edits cards, and only the edits of one card are in order.
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
