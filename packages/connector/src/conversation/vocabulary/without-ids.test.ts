import { expect, test } from "vitest";
import { plainWithPeople, refusalWithoutIds, trustRequestWithoutIds } from "./without-ids.ts";

test("a trust request names the channel as this one, and people without their ids", () => {
	const label =
		"Trust discord:1:2 for 1 h, so that calls run without approval (all tools)? Requested by Olga (discord:1:77): x (y)";
	expect(trustRequestWithoutIds(label)).toBe(
		"Trust this channel for 1 h, so that calls run without approval (all tools)? Requested by Olga: x (y)",
	);
});

test("a refusal names only the refused person", () => {
	const refused = { platform: "discord", tenant: "1", person: { id: "7", name: "Mia" } };
	expect(refusalWithoutIds("discord:1:7 is member: parley people role discord:1:7 approver", refused)).toBe(
		"Mia is member: parley people role discord:1:7 approver",
	);
	expect(refusalWithoutIds("ask discord:1:8", refused)).toBe("ask discord:1:8");
	expect(refusalWithoutIds("may not act for this server (1): ask", refused)).toBe(
		"may not act for this server: ask",
	);
	expect(refusalWithoutIds("no owner has paired here yet (discord:1): ask", refused)).toBe(
		"no owner has paired here yet: ask",
	);
	const nameless = { ...refused, person: { id: "7", name: "" } };
	expect(refusalWithoutIds("discord:1:7 is member", nameless)).toBe("discord:1:7 is member");
});

test.each([
	["discord:1:7 has left the server", "@7 has left the server"],
	["stopped by slack:T1:U7", "stopped by @U7"],
	[
		"not sent: slack:T1:U7, who asked for slack:T1:U8, may *not*",
		"not sent: @U7, who asked for @U8, may \\*not\\*",
	],
	["no people here", "no people here"],
])("%s shows names instead of ids", (text, shown) => {
	expect(plainWithPeople(text, 100, { person: (id) => `@${id}` })).toBe(shown);
});
