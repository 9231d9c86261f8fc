import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { deniedWords, findWaiting, peopleRows, personWords } from "./people-and-channels.ts";

const now = Date.parse("2026-01-10T12:00:00Z");
const format = (columns: number) => ({ columns, styles: createStyles(false) });
const ada = {
	person: "discord:1:2",
	name: "Ada\u001b[2J",
	role: "owner" as const,
	added_by: "invitation:pairing_1",
	created_at: "2026-01-10T11:57:00Z",
};
const bob = {
	id: "pairing_b",
	kind: "request" as const,
	person: "discord:1:3",
	name: "Bob",
	platform: "discord",
	tenant: "1",
	created_at: "2026-01-10T11:30:00Z",
	expires_at: "2026-01-10T12:30:00Z",
};
const invitation = {
	id: "pairing_i",
	kind: "invitation" as const,
	role: "member" as const,
	created_at: bob.created_at,
	expires_at: bob.expires_at,
};

test("prints people above requests and invitations, without their codes", () => {
	const rows = peopleRows({ people: [ada], waiting: [bob, invitation] }, now, format(200));
	expect(rows[0]).toMatch(/^PERSON +NAME +ROLE +ADDED BY +WHEN$/);
	expect(rows[1]).toMatch(/^discord:1:2 +Ada\S+ +owner +invitation:pairing_1 +3 min ago$/);
	expect(rows[2]).toBe("");
	expect(rows[3]).toMatch(/^KIND +NAME +PLATFORM +GUILD OR TEAM +USER ID +ROLE +EXPIRES IN +ID$/);
	expect(rows[4]).toMatch(/^request +Bob +discord +1 +3 +30 min +pairing_b$/);
	expect(rows[5]).toMatch(/^invitation +any +any +member +30 min +pairing_i$/);
	expect(rows.slice(6).join(" ")).toMatch(/people approve CODE.*people deny ID/);
	expect(rows.join("")).not.toContain("\u001b");
});

test("prints the command that gives access if there are no people", () => {
	expect(peopleRows({ people: [], waiting: [] }, now, format(80))).toEqual([
		"No chat user has access, unless chat.people.allow in the configuration gives access. `parley people pair --role owner` prints a code for the first owner.",
	]);
	expect(peopleRows({ people: [], waiting: [bob] }, now, format(80))[0]).toMatch(/^KIND/);
	expect(peopleRows({ people: [ada], waiting: [] }, now, format(80))).toHaveLength(2);
});

test("prints no row that is wider than the terminal", () => {
	for (const columns of [40, 60, 80]) {
		const rows = peopleRows({ people: [ada], waiting: [bob, invitation] }, now, format(columns));
		expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
	}
});

test("prints the id of a person without a name", () => {
	expect(personWords({ person: "discord:1:2", name: "" })).toBe("discord:1:2");
	expect(personWords(ada)).toMatch(/^discord:1:2 \(Ada\S+\)$/);
});

test("finds a request by its id, its person or the name of the person", () => {
	const all = [bob, invitation];
	for (const named of ["pairing_b", "discord:1:3", "3", "bob"])
		expect(findWaiting(all, named)).toEqual([bob]);
	const long = { ...bob, id: "pairing_bcdef" };
	for (const named of ["pairing_bcde", "bcde"])
		expect(findWaiting([long, invitation], named)).toEqual([long]);
	for (const named of ["pairing_", "p", "pairing_bcd"]) expect(findWaiting([long], named)).toEqual([]);
	for (const named of ["K7MPQR2T", ""])
		expect(findWaiting([...all, { ...bob, name: "" }], named)).toEqual([]);
	expect(findWaiting([{ ...bob, name: "pairing_i" }, invitation], "pairing_i")).toEqual([invitation]);
});

test("prints the cancelled invitation or the denied person, and how to block a person", () => {
	expect(deniedWords(invitation)).toBe("cancelled the invitation pairing_i");
	expect(deniedWords(bob)).toMatch(/^denied the request of discord:1:3 \(Bob\); .*chat\.people\.deny/);
});
