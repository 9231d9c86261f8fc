import type { MethodResult } from "@parley/protocol";
import { type Table, tableRows } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { Look } from "../text/styles.ts";
import { duration } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";

export type Grant = MethodResult<"list_grants">["grants"][number];

const head = ["ID", "CHANNEL", "STATE", "CALLS", "COVERS", "GRANTED BY", "REASON"];

/** What channels are trusted with, in rows, the newest first. */
export function grantTable(grants: readonly Grant[], now: number, look: Look): string[] {
	const rows = grants.map((grant) => [
		grant.grant_id,
		visibleLine(grant.place),
		stateOf(grant, now),
		`${grant.used_actions}/${grant.max_actions}`,
		coversOf(grant),
		visibleLine(grant.granted_by),
		visibleLine(grant.reason),
	]);
	const table: Table = { rows: [head, ...rows], right: [3], optional: [5, 4, 3], elastic: 6 };
	return tableRows(table, look);
}

function stateOf({ expires_at, ended_at, end_reason = "" }: Grant, now: number): string {
	if (ended_at !== undefined) return `ended ${localTime(new Date(ended_at))}: ${visibleLine(end_reason)}`;
	const left = Date.parse(expires_at) - now;
	return left > 0 ? `${duration(left)} left` : "expired";
}

function coversOf({ people, tools, classes }: Grant): string {
	const calls = [...(tools ?? []), ...(classes ?? [])].map(visibleLine);
	const who = people === null ? "members" : people.map(visibleLine).join(", ");
	return `${calls.length === 0 ? "all calls" : calls.join(", ")} of ${who}`;
}
