import { defined } from "@parley/base";
import type { StatusEmoji } from "../../platform/posting.ts";
import type { ReactOperation, ShowOperation } from "../vocabulary/render-operation.ts";
import type { Run } from "./runs.ts";

const ends = { done: "✅", failed: "❌", cancelled: undefined } as const;

export type RunState = "accepted" | "queued" | keyof typeof ends;

const emoji: Readonly<Record<RunState, StatusEmoji | undefined>> = { accepted: "👀", queued: "⏳", ...ends };

/**
 * Shows the state of a message by a reaction to the message, if the run of the message has reactions. `notice` is
 * the post for a room in which the connector may not react. Without `notice`, an earlier notice is deleted.
 */
export function showStatus(
	{ reacts, message }: Run,
	status: RunState,
	notice?: ShowOperation,
): ReactOperation[] {
	if (reacts === undefined || message === undefined) return [];
	const react = { type: "react", lane: "progress", card: `status:${message}`, message } as const;
	return [{ ...react, ...defined({ emoji: emoji[status], notice }) }];
}

/** Shows the state of a run at all messages that it answers. */
export function showStatuses(run: Run, status: RunState): ReactOperation[] {
	const joined = (run.joined ?? []).flatMap((message) =>
		showStatus({ ...run, reacts: true, message }, status),
	);
	return [...showStatus(run, status), ...joined];
}
