import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import type { DiscordResponse } from "../vocabulary/discord-port.ts";
import type { StoredAudiences } from "./audiences.ts";
import { Channels } from "./channels.ts";
import { Intake } from "./intake.ts";

const never = new AbortController().signal;
const view = String(PermissionFlagsBits.ViewChannel);
const everybody = { id: "1", name: "@everyone", permissions: "0" };
const mods = { id: "71", name: "Mods", permissions: "0" };
/** A channel that all members can read, regardless of their roles. */
const open = {
	id: "10",
	type: 0,
	guild_id: "1",
	permission_overwrites: [{ id: "1", type: 0, allow: view, deny: "0" }],
};
/** A channel without overwrites: only the owner, and members of a role with `ViewChannel`, can read it. */
const closed = { id: "11", type: 0, guild_id: "1", permission_overwrites: [] };
const guild = {
	...{ id: "1", owner_id: "9", roles: [everybody, mods], channels: [open, closed] },
	threads: [{ id: "20", type: 11, guild_id: "1", parent_id: "10" }],
};

function place(stored = new Map<string, StoredAudiences>()) {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedPort()];
	const failures: Error[] = [];
	const audiences = {
		load: async (of: string) => stored.get(of),
		save: async (of: string, now: StoredAudiences | undefined) => {
			const failure = failures.shift();
			if (failure) throw failure;
			if (now) stored.set(of, now);
			else stored.delete(of);
		},
	};
	const channels = new Channels({ port, clock });
	const self = { user: "500", application: "501" };
	const intake = new Intake({ self, port, channels, audiences, clock, log });
	const translate = async (t: string, d: unknown) => {
		const translated = await intake.translate({ t, d }, never);
		if ("ignored" in translated) return [];
		for (const { stored } of translated) await stored?.();
		return translated.map(({ inbound }) => inbound);
	};
	return { clock, log, port, intake, translate, stored, failures };
}

async function known() {
	const opened = place();
	await opened.translate("GUILD_CREATE", guild);
	return opened;
}

const letIn = { guild_id: "1", role: { ...mods, permissions: view } };

test("added rights of a role are reported for the channels that it can read with them", async () => {
	const { translate } = await known();
	expect(await translate("GUILD_ROLE_UPDATE", letIn)).toMatchObject([
		{
			type: "audience",
			room: { tenant: "1" },
			channels: ["11"],
			change: "the permissions of the role Mods changed",
		},
	]);
	expect(await translate("GUILD_ROLE_UPDATE", letIn)).toEqual([]);
	expect(await translate("GUILD_ROLE_DELETE", { guild_id: "1", role_id: "71" })).toMatchObject([
		{ channels: ["11"], change: "a role was deleted" },
	]);
	const another = { ...mods, id: "72", permissions: view };
	expect(await translate("GUILD_ROLE_CREATE", { guild_id: "1", role: another })).toMatchObject([
		{ channels: ["11"] },
	]);
});

test("another name or colour of a role, and rights without access, are not reported", async () => {
	const { translate } = await known();
	for (const change of [
		{ name: "Moderators" },
		{ color: 5 },
		{ permissions: String(PermissionFlagsBits.AddReactions) },
	]) {
		expect(await translate("GUILD_ROLE_UPDATE", { guild_id: "1", role: { ...mods, ...change } })).toEqual([]);
	}
});

test("a channel with a larger audience is reported, and an unknown one may have any", async () => {
	const { translate } = await known();
	expect(await translate("CHANNEL_UPDATE", { ...open, name: "other" })).toEqual([]);
	const hidden = { ...open, permission_overwrites: [] };
	const expected = [{ type: "audience", channels: ["10"], change: "the permissions of the channel changed" }];
	const changed = await translate("CHANNEL_UPDATE", hidden);
	expect(changed).toMatchObject(expected);
	expect(changed[0]).not.toHaveProperty("uncertain");
	expect(await translate("CHANNEL_UPDATE", hidden)).toEqual([]);
	expect(await translate("CHANNEL_UPDATE", { ...open, id: "12" })).toMatchObject([
		{ channels: ["12"], uncertain: true, change: "the previous permissions are unknown" },
	]);
	expect(await translate("CHANNEL_CREATE", { ...open, id: "13" })).toEqual([]);
	expect(await translate("CHANNEL_UPDATE", { ...open, id: "13", name: "other" })).toEqual([]);
});

test("a deleted channel is reported, a deleted thread is not, because its audience stays the same", async () => {
	const { translate } = await known();
	expect(await translate("THREAD_DELETE", { id: "20", guild_id: "1", parent_id: "10", type: 11 })).toEqual(
		[],
	);
	expect(await translate("CHANNEL_DELETE", open)).toMatchObject([
		{ room: { channel: "10" }, gone: true, deleted: true, change: "the channel was deleted" },
	]);
});

test("a new owner of a server can read all of it", async () => {
	const { translate } = await known();
	expect(await translate("GUILD_UPDATE", { id: "1", owner_id: "9", name: "renamed" })).toEqual([]);
	expect(await translate("GUILD_UPDATE", { id: "1", owner_id: "8" })).toMatchObject([
		{ channels: ["10", "11"], change: "the server has a new owner" },
	]);
});

test("a server that removed the bot is reported with all its channels, an unavailable one is not", async () => {
	const { translate, log, stored } = await known();
	expect(await translate("GUILD_DELETE", { id: "1", unavailable: true })).toEqual([]);
	expect(log.records).toEqual([]);
	expect(await translate("GUILD_DELETE", { id: "1" })).toMatchObject([
		{ room: { tenant: "1" }, channels: "all", gone: true, change: "I was removed from the server" },
	]);
	expect(log.records).toMatchObject([{ level: "warn", fields: { guild: "1" } }]);
	expect(stored.size).toBe(0);
});

test("changes during an absence are reported when the server is back, and a new channel is not", async () => {
	const { stored } = await known();
	const { translate } = place(stored);
	expect(
		await translate("GUILD_CREATE", { ...guild, channels: [open, closed, { ...open, id: "12" }] }),
	).toEqual([]);
	const next = place(stored);
	expect(await next.translate("GUILD_CREATE", { ...guild, channels: [closed] })).toMatchObject([
		{ channels: ["10", "12"] },
	]);
	const last = place(stored);
	const roles = [everybody, letIn.role];
	expect(await last.translate("GUILD_CREATE", { ...guild, roles, channels: [closed] })).toMatchObject([
		{ channels: ["11"], change: "permissions changed while I was offline" },
	]);
});

test("without a stored audience, the earlier readers are unknown", async () => {
	const { translate } = place();
	expect(await translate("GUILD_CREATE", guild)).toMatchObject([
		{ channels: "all", uncertain: true, change: "the previous permissions are unknown" },
	]);
	expect(await translate("GUILD_CREATE", guild)).toEqual([]);
});

test("after a resume, the state of a server is requested and compared with the stored one", async () => {
	const { stored } = await known();
	const { translate, port } = place(stored);
	const now = { ...guild, roles: [everybody, letIn.role] };
	port.answer("GET /guilds/1", { status: 503 }, { body: now });
	port.answer("GET /guilds/1/channels", { body: guild.channels });
	const other = place(stored);
	other.port.answer("GET /guilds/1", { body: guild });
	other.port.answer("GET /guilds/1/channels", { body: guild.channels });
	expect(await other.translate("GUILD_ROLE_UPDATE", { guild_id: "1", role: mods })).toEqual([]);
	port.script.shift();
	expect(await translate("GUILD_ROLE_UPDATE", letIn)).toMatchObject([{ channels: ["11"] }]);
	expect(port.requestLines).toEqual(["GET /guilds/1", "GET /guilds/1/channels"]);
});

async function resumed(...answers: readonly Partial<DiscordResponse>[]) {
	const opened = place((await known()).stored);
	opened.port.answer("GET /guilds/1", { body: { ...guild, channels: undefined } }, { body: guild });
	opened.port.answer("GET /guilds/1/channels", ...answers);
	return opened;
}

const shown = { ...closed, permission_overwrites: open.permission_overwrites };

test.each([
	["CHANNEL_UPDATE", { ...open, name: "other" }, [{ channels: ["11"] }]],
	["CHANNEL_UPDATE", shown, [{ channels: ["11"] }]],
	["CHANNEL_CREATE", { ...open, id: "12" }, [{ channels: ["11"] }]],
	["CHANNEL_DELETE", open, [{ room: { channel: "10" }, gone: true }, { channels: ["11"] }]],
])("after a resume, the first %s reports all channels with another audience", async (t, d, expected) => {
	const there = t === "CHANNEL_DELETE" ? [shown] : [open, shown, { ...open, id: "12" }];
	const { translate } = await resumed({ body: there });
	expect(await translate(t, d)).toMatchObject(expected);
	expect(await translate("CHANNEL_UPDATE", shown)).toEqual([]);
});

test("if Discord does not return a server, every possible change is reported", async () => {
	const { translate } = await resumed(...Array.from({ length: 5 }, () => ({ status: 403 })));
	expect(await translate("CHANNEL_UPDATE", open)).toMatchObject([{ channels: ["10"] }]);
	expect(await translate("CHANNEL_DELETE", open)).toMatchObject([{ room: { channel: "10" }, gone: true }]);
	expect(await translate("CHANNEL_CREATE", { ...open, id: "12" })).toEqual([]);
	expect(await translate("GUILD_ROLE_UPDATE", letIn)).toMatchObject([{ channels: "all" }]);
});

test("the change of a channel that is not stored is reported again", async () => {
	const { intake, translate } = await known();
	const hidden = { ...open, permission_overwrites: [] };
	await intake.translate({ t: "CHANNEL_UPDATE", d: hidden }, never);
	expect(await translate("CHANNEL_UPDATE", hidden)).toHaveLength(1);
	expect(await translate("CHANNEL_UPDATE", hidden)).toEqual([]);
});

test("a change that is not stored, or could not be saved, is reported again", async () => {
	const { intake, translate, failures, log } = await known();
	await intake.translate({ t: "GUILD_ROLE_UPDATE", d: letIn }, never);
	failures.push(new Error("disk full"));
	expect(await translate("GUILD_ROLE_UPDATE", letIn)).toHaveLength(1);
	expect(log.records).toMatchObject([{ level: "warn" }]);
	expect(await translate("GUILD_ROLE_UPDATE", letIn)).toHaveLength(1);
	expect(await translate("GUILD_ROLE_UPDATE", letIn)).toEqual([]);
});

test.each([
	"GUILD_UPDATE",
	"GUILD_DELETE",
	"GUILD_ROLE_UPDATE",
	"CHANNEL_UPDATE",
	"CHANNEL_DELETE",
	"THREAD_DELETE",
])("a %s with invalid content is counted and reported", async (t) => {
	const { translate, intake, log } = await known();
	expect(await translate(t, { id: 5 })).toEqual([]);
	expect([intake.malformed, log.records.length]).toEqual([1, 1]);
});

test.each([
	[{ archived: false, locked: false }, true],
	[{ archived: true, locked: false }, false],
	[{ archived: false, locked: true }, false],
	[undefined, false],
	["unlocked", false],
])("a thread with the state %o accepts posts again: %o", async (state, isOpen) => {
	const { translate, clock } = await known();
	const thread = { id: "20", type: 11, guild_id: "1", parent_id: "10", thread_metadata: state };
	const room = { tenant: "1", channel: "10", thread: "20", shared: false, kind: "channel" };
	expect(await translate("THREAD_UPDATE", thread)).toEqual(
		isOpen ? [{ type: "reopened", room, at: clock.now() }] : [],
	);
});
