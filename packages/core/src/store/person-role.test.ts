import { expect, test } from "vitest";
import type { ChatSettings } from "../vocabulary/chat-settings.ts";
import { type Actor, type Place, type Role, roles } from "../vocabulary/principal.ts";
import { type ActingPerson, isDenied, roleOf } from "./person-role.ts";

function personWith(
	fields: { readonly actor?: Partial<Actor>; readonly place?: Partial<Place>; readonly given?: Role } = {},
): ActingPerson {
	return {
		actor: { id: "ada", name: "Ada", roles: [], guest: false, ...fields.actor },
		place: { platform: "discord", tenant: "guild", channel: "general", shared: false, ...fields.place },
		given: fields.given ?? "stranger",
	};
}

interface Rules {
	readonly allow?: ChatSettings["allow"];
	readonly deny?: ChatSettings["deny"];
}

function roleBy(rules: Rules, fields?: Parameters<typeof personWith>[0]): Role {
	return roleOf(personWith(fields), { allow: [], deny: [], ...rules });
}

test("without rules a person has no access, and a role from the operator applies", () => {
	expect(roleBy({})).toBe("stranger");
	for (const given of roles) expect(roleBy({}, { given })).toBe(given);
});

test.each([
	[{ platform: "discord" }, "member"],
	[{ tenant: "guild" }, "member"],
	[{ channel: "general" }, "member"],
	[{ user: "ada" }, "member"],
	[{ platformRole: "7" }, "member"],
	[{ platform: "slack" }, "stranger"],
	[{ tenant: "other" }, "stranger"],
	[{ channel: "other" }, "stranger"],
	[{ user: "bob" }, "stranger"],
	[{ platformRole: "8" }, "stranger"],
	[{ tenant: "guild", platformRole: "8" }, "stranger"],
	[{ tenant: "guild", channel: "general", platformRole: "7", user: "ada" }, "member"],
] as const)("a rule about %j gives a person the role %s", (rule, role) => {
	expect(roleBy({ allow: [{ ...rule, as: "member" }] }, { actor: { roles: ["1", "7"] } })).toBe(role);
});

test("the highest of all configured roles applies", () => {
	const allow = [
		{ tenant: "guild", as: "member" },
		{ user: "ada", as: "approver" },
		{ channel: "general", as: "guest" },
	] as const;
	expect(roleBy({ allow })).toBe("approver");
	expect(roleBy({ allow }, { given: "owner" })).toBe("owner");
	expect(roleBy({ allow }, { given: "guest" })).toBe("approver");
});

test("a denied person is a stranger, despite any other rules", () => {
	const rules = {
		allow: [{ user: "ada", as: "owner" }],
		deny: [{ platform: "discord", platformRole: "muted" }],
	} as const;
	const muted = { actor: { roles: ["muted"] }, given: "owner" } as const;
	expect(roleBy(rules, muted)).toBe("stranger");
	expect(isDenied(personWith(muted), rules)).toBe(true);
	expect(isDenied(personWith({ given: "owner" }), rules)).toBe(false);
	expect(roleBy(rules, { given: "guest" })).toBe("owner");
});

test("a guest of the platform is at most a guest, and never gains a role", () => {
	for (const given of roles) {
		const expected = given === "stranger" ? "stranger" : "guest";
		expect(roleBy({}, { actor: { guest: true }, given })).toBe(expected);
	}
});

test("in a shared channel a general rule gives at most guest, and a rule for a person gives its role", () => {
	const place = { shared: true };
	expect(roleBy({ allow: [{ tenant: "guild", as: "owner" }] }, { place })).toBe("guest");
	expect(roleBy({ allow: [{ user: "ada", as: "approver" }] }, { place })).toBe("approver");
	expect(roleBy({}, { place, given: "owner" })).toBe("owner");
	expect(roleBy({}, { place })).toBe("stranger");
});
