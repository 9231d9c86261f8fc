import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { duration, timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";

type People = MethodResult<"list_people">;
type Person = People["people"][number];
type Waiting = People["waiting"][number];

/** Everybody who was let in, and below them the codes that count. `now` is in milliseconds since the epoch. */
export function peopleRows({ people, waiting }: People, now: number, look: Look): string[] {
	if (people.length === 0 && waiting.length === 0) {
		return ["nobody was let in yet; `parley people pair --role owner` prints a code for the first owner"];
	}
	const known = [["PERSON", "NAME", "ROLE", "ADDED BY", "WHEN"], ...people.map((one) => cellsOf(one, now))];
	const open = [["WAITS", "NAME", "ROLE", "CODE COUNTS"], ...waiting.map((one) => waitingCells(one, now))];
	return [
		...(people.length > 0 ? tableRows({ rows: known, optional: [3, 4], elastic: 1 }, look) : []),
		...(people.length > 0 && waiting.length > 0 ? [""] : []),
		...(waiting.length > 0 ? tableRows({ rows: open, optional: [3], elastic: 1 }, look) : []),
	];
}

/** Somebody with the name that they gave themselves. */
export function personWords({ person, name }: Pick<Person, "person" | "name">): string {
	return visibleLine(name === "" ? person : `${person} (${name})`);
}

function cellsOf({ person, name, role, added_by, created_at }: Person, now: number): string[] {
	return [person, name, role, added_by, timeAgo(Date.parse(created_at), now)].map(visibleLine);
}

function waitingCells({ kind, person, name, role, expires_at }: Waiting, now: number): string[] {
	const who = person ?? (kind === "invitation" ? "(an invitation)" : "");
	const left = `for ${duration(Date.parse(expires_at) - now)} more`;
	return [who, name ?? "", role ?? "", left].map(visibleLine);
}
