import type { MethodResult } from "@parley/protocol";
import { beginsId } from "../text/begins-id.ts";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { timeAgo, timeLeft } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

type People = MethodResult<"list_people">;
type Person = People["people"][number];
type Waiting = People["waiting"][number];

/** Everybody who was let in, and below them the codes that count. `now` is in milliseconds since the epoch. */
export function peopleRows({ people, waiting }: People, now: number, look: Look): string[] {
	if (people.length === 0 && waiting.length === 0) {
		return ["nobody was let in yet; `parley people pair --role owner` prints a code for the first owner"];
	}
	const known = [["PERSON", "NAME", "ROLE", "ADDED BY", "WHEN"], ...people.map((one) => cellsOf(one, now))];
	const head = ["WAITS", "NAME", "PLATFORM", "GUILD OR TEAM", "USER ID", "ROLE", "ENDS IN", "ID"];
	const open = [head, ...waiting.map((one) => waitingCells(one, now))];
	return [
		...(people.length > 0 ? tableRows({ rows: known, optional: [3, 4], elastic: 1 }, look) : []),
		...(people.length > 0 && waiting.length > 0 ? [""] : []),
		...(waiting.length > 0 ? tableRows({ rows: open, optional: [5, 6], elastic: 1 }, look) : []),
		...hintsFor(waiting, look),
	];
}

/** Somebody with the name that they gave themselves. */
export function personWords({ person, name }: Pick<Person, "person" | "name">): string {
	return visibleLine(name === "" ? person : `${person} (${name})`);
}

function cellsOf({ person, name, role, added_by, created_at }: Person, now: number): string[] {
	return [person, name, role, added_by, timeAgo(Date.parse(created_at), now)].map(visibleLine);
}

function waitingCells(one: Waiting, now: number): string[] {
	const { id, kind, person = "", name = "", platform = "any", tenant = "any", role = "", expires_at } = one;
	// Behind the platform and the tenant, neither of which holds a colon.
	const user = person.split(":").slice(2).join(":");
	const left = timeLeft(Date.parse(expires_at) - now);
	return [kind, name, platform, tenant, user, role, left, id].map(visibleLine);
}

function hintsFor(waiting: readonly Waiting[], { columns }: Look): string[] {
	const asked = waiting.some(({ kind }) => kind === "request");
	const hints = [
		...(asked
			? ["`parley people approve CODE` lets in who reads you that code; look whether it is them."]
			: []),
		...(waiting.length > 0
			? ["`parley people withdraw ID` refuses a request, or takes an invitation back."]
			: []),
	];
	return hints.flatMap((hint) => wrapText(hint, columns));
}

type Named = Pick<Waiting, "id" | "kind" | "person" | "name">;

/** A code that counts no more, in one line. */
export function withdrawnWords({ id, kind, person, name = "" }: Named): string {
	if (kind === "invitation") return `the invitation ${visibleLine(id)} counts no more`;
	return `${personWords({ person: person ?? id, name })} was refused; who is to stay out stands under chat.people.deny`;
}

/**
 * The codes that somebody means: by the beginning of the id, a person's id on the platform or here, or the name that
 * they gave themselves.
 */
export function findWaiting<One extends Named>(waiting: readonly One[], named: string): readonly One[] {
	const own = waiting.filter(({ id }) => id === named);
	if (named === "") return [];
	if (own.length > 0) return own;
	return waiting.filter(
		({ id, person, name }) =>
			beginsId(id, named) ||
			person === named ||
			person?.split(":").slice(2).join(":") === named ||
			name?.toLowerCase() === named.toLowerCase(),
	);
}
