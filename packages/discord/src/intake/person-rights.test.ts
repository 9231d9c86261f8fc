import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { Audiences } from "./audiences.ts";
import { readPersonRights } from "./person-rights.ts";

const [view, send, inThreads] = [1n << 10n, 1n << 11n, 1n << 38n];
const text = (permissions: bigint): string => String(permissions);
const guild = {
	...{ id: "1", owner_id: "99" },
	roles: [
		{ id: "1", permissions: text(view | send | inThreads) },
		{ id: "6", permissions: text(1n << 3n) },
		...["7", "8", "9"].map((id) => ({ id, permissions: "0" })),
	],
};
const overwrite = (id: string, type: number, allow: bigint, deny: bigint) => ({
	...{ id, type },
	...{ allow: text(allow), deny: text(deny) },
});
const channels = [
	{ id: "2", permission_overwrites: [] },
	{
		id: "3",
		permission_overwrites: [
			overwrite("1", 0, 0n, view),
			overwrite("9", 0, view, 0n),
			overwrite("7", 0, 0n, send),
			overwrite("8", 0, send, 0n),
			overwrite("5", 1, 0n, view),
		],
	},
];

async function ask(
	member: object,
	place: {
		readonly channel?: string;
		readonly thread?: string;
		readonly tenant?: string;
		readonly user?: string;
	},
) {
	const port = new ScriptedPort();
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const store = { load: async () => undefined, save: async () => undefined };
	const audiences = new Audiences({ port, store, clock, log });
	audiences.note(guild, channels);
	const { user = "4", tenant = "1", channel = "2", thread } = place;
	port.answer(`GET /guilds/${tenant}/members/${user}`, member);
	const query = { user, place: { tenant, channel, thread, shared: false } };
	return readPersonRights({ port, audiences, clock }, query, new AbortController().signal);
}

const withRoles = (...roles: string[]) => ({ body: { roles } });
const left = { present: false, reason: "left" };
const noAccess = { present: false, reason: "no_access" };
const here = (...roles: string[]) => ({ present: true, roles, guest: false, shared: false });

test("the roles of a person are those that Discord gives them now", async () => {
	expect(await ask(withRoles("7", "8"), {})).toEqual(here("7", "8"));
	expect(await ask({ status: 404, body: { code: 10_007 } }, {})).toEqual(left);
	expect(await ask({ status: 404, body: { code: 10_013 } }, {})).toEqual(left);
});

test("the permissions of the channel decide whether a person can write there", async () => {
	const inThree = { channel: "3" };
	expect(await ask(withRoles(), inThree)).toEqual(noAccess);
	expect(await ask(withRoles("9"), inThree)).toEqual(here("9"));
	expect(await ask(withRoles("9", "7"), inThree)).toEqual(noAccess);
	expect(await ask(withRoles("9", "7", "8"), inThree)).toEqual(here("9", "7", "8"));
	expect(await ask(withRoles("9", "7"), { ...inThree, thread: "30" })).toEqual(here("9", "7"));
	expect(await ask(withRoles("9"), { ...inThree, user: "5" })).toEqual(noAccess);
	expect(await ask(withRoles(), { ...inThree, user: "99" })).toEqual(here());
	expect(await ask(withRoles("6"), inThree)).toEqual(here("6"));
	expect(await ask(withRoles(), { channel: "404" })).toEqual(noAccess);
	const silenced = { body: { roles: [], communication_disabled_until: "2026-01-02T00:00:00Z" } };
	expect(await ask(silenced, {})).toEqual(noAccess);
});

test("direct messages have no roles, and an unclear answer confirms nothing", async () => {
	expect(await ask({ status: 500 }, { tenant: "dm" })).toEqual(here());
	for (const status of [401, 403, 429, 500]) expect(await ask({ status, body: {} }, {})).toBeUndefined();
	expect(await ask({ status: 404, body: { code: 10_004 } }, {})).toBeUndefined();
	expect(await ask({ body: { nonsense: true } }, {})).toBeUndefined();
});
