import { type Lane, trackOf } from "../platform/lane.ts";
import type { DeliveryState } from "../store/tables.ts";

/** Fields of a row that decide when it is sent. */
export interface OpenRow {
	readonly id: string;
	readonly position: number;
	readonly conversation: string;
	/** Session and `seq` of the row's event: `SESSION/SEQ`. */
	readonly message: string;
	readonly lane: Lane;
	readonly card: string | null;
	readonly state: Exclude<DeliveryState, "confirmed" | "dead">;
	readonly attempts: number;
	/**
	 * Time of the first request after the row was last known not to be posted, in milliseconds since the epoch.
	 * Null if there was no request after that, or if the time of the request is unknown.
	 */
	readonly sentAt: number | null;
	/** Reason for the last failure, the hold or the release of the row; null if there was none. */
	readonly reason: string | null;
	readonly at: number;
	/** Whether the card is already posted. The row then replaces the content of the post, and its request may be repeated. */
	readonly edits: boolean;
}

/**
 * Returns the rows of a conversation that can be sent: neither held nor attempted, and not blocked by an earlier
 * row. `rows` are all unsettled rows in order of planning. A row blocks the later rows of the same card, and the
 * later rows of the same track. A held row blocks only later rows of the same card, and later rows of the same
 * event and track. The same limit applies to each row that a held row blocks. The reason is that a person may take
 * days to decide about a held row.
 */
export function unblocked(rows: readonly OpenRow[]): readonly OpenRow[] {
	const [only] = rows;
	if (rows.length === 1 && only) return only.state === "held" || only.state === "attempted" ? [] : rows;
	const claimedNames = new Set<string>();
	const blocked = new Set<string>();
	return rows.filter((row) => {
		const { own, shared } = placesOf(row);
		if (row.state === "held" || own.some((name) => blocked.has(name))) {
			for (const name of own) blocked.add(name);
			return false;
		}
		const isFirst = !shared.some((name) => claimedNames.has(name));
		for (const name of shared) claimedNames.add(name);
		return isFirst && row.state !== "attempted";
	});
}

/**
 * Returns the keys that a row blocks, for its card and its track. A held row, or a row that a held row blocks,
 * blocks the keys in `own`. Any other row blocks the keys in `shared`.
 */
function placesOf({ lane, card, message }: OpenRow): Record<"own" | "shared", string[]> {
	const track = trackOf(lane);
	const cards = card === null ? [] : [`card ${card}`];
	if (track === undefined) return { own: cards, shared: cards };
	return { own: [...cards, `${track} of ${message}`], shared: [...cards, track] };
}
