import { type Lane, trackOf } from "../platform/lane.ts";
import type { DeliveryState } from "../store/tables.ts";

/** What must be known of a row to decide when its turn comes. */
export interface OpenRow {
	readonly id: string;
	readonly position: number;
	readonly conversation: string;
	/** The event that it shows a part of. */
	readonly message: string;
	readonly lane: Lane;
	readonly card: string | null;
	readonly state: Exclude<DeliveryState, "confirmed" | "dead">;
	readonly attempts: number;
	/** Time of the first request since the row was last known not to be posted, in milliseconds since the epoch. */
	readonly sentAt: number | null;
	/** Why the last attempt failed, or why it is held. */
	readonly reason: string | null;
	readonly at: number;
	/** Its card is posted: it replaces what stands there, and may be repeated. */
	readonly edits: boolean;
}

/**
 * The rows of a conversation, given all that are not settled in the order in which they were planned, that no earlier
 * one keeps waiting: none of its card, none of its track; but of a held one only the rest of the same message waits,
 * because a person may take days to decide.
 */
export function unblocked(rows: readonly OpenRow[]): readonly OpenRow[] {
	const [only] = rows;
	if (rows.length === 1 && only) return only.state === "held" || only.state === "attempted" ? [] : rows;
	const taken = new Set<string>();
	const held = new Set<string>();
	return rows.filter((row) => {
		const { own, shared } = placesOf(row);
		if (row.state === "held" || own.some((name) => held.has(name))) {
			for (const name of own) held.add(name);
			return false;
		}
		const isFirst = !shared.some((name) => taken.has(name));
		for (const name of shared) taken.add(name);
		return isFirst && row.state !== "attempted";
	});
}

/** What a row keeps waiting: of its own while it is held, and what it shares with others while it is on its way. */
function placesOf({ lane, card, message }: OpenRow): Record<"own" | "shared", string[]> {
	const track = trackOf(lane);
	const cards = card === null ? [] : [`card ${card}`];
	if (track === undefined) return { own: cards, shared: cards };
	return { own: [...cards, `${track} of ${message}`], shared: [...cards, track] };
}
