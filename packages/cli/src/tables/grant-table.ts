import type { MethodResult } from "@parley/protocol";
import { type Table, tableRows } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { Look } from "../text/styles.ts";
import { timeLeft } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

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

export type Wish = MethodResult<"list_grants">["wishes"][number];

/** What people ask that their channels be trusted with, and below how to answer. */
export function wishRows(wishes: readonly Wish[], now: number, look: Look): string[] {
	const head = ["WISH", "CHANNEL", "ASKED BY", "FOR", "COVERS", "ENDS IN", "WHY"];
	const rows = wishes.map((wish) => [
		visibleLine(wish.token),
		visibleLine(wish.place),
		whoAsks(wish),
		`${timeLeft(wish.minutes * 60_000)}, ${wish.max_actions} calls`,
		coversOf(wish),
		timeLeft(Date.parse(wish.expires_at) - now),
		visibleLine(wish.reason),
	]);
	const hint =
		"`parley trust confirm WISH` trusts that channel, `parley trust refuse WISH` does not; ids may be abbreviated.";
	return [
		...tableRows({ rows: [head, ...rows], optional: [5, 3, 4], elastic: 6 }, look),
		...wrapText(hint, look.columns),
	];
}

function whoAsks({ person = "somebody", name = "" }: Wish): string {
	return visibleLine(name === "" ? person : `${name} (${person})`);
}

function stateOf({ expires_at, ended_at, end_reason = "" }: Grant, now: number): string {
	if (ended_at !== undefined) return `ended ${localTime(new Date(ended_at))}: ${visibleLine(end_reason)}`;
	const left = Date.parse(expires_at) - now;
	return left > 0 ? `${timeLeft(left)} left` : "expired";
}

function coversOf({ people, tools, classes }: Pick<Grant, "people" | "tools" | "classes">): string {
	const calls = [...(tools ?? []), ...(classes ?? [])].map(visibleLine);
	const who = people === null ? "members" : people.map(visibleLine).join(", ");
	return `${calls.length === 0 ? "all calls" : calls.join(", ")} of ${who}`;
}
