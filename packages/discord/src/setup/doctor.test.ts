import { ManualClock } from "@parley/base/testing";
import type { CommandShape, Finding } from "@parley/connector";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { type DoctorParts, examineDiscord } from "./doctor.ts";
import { neededPermissions } from "./guild-checks.ts";

const all = neededPermissions.reduce((bits, { bit }) => bits | bit, 0n);
const whoami: CommandShape = { name: "whoami", description: "Who you are", options: [] };
const menu = { id: "2", type: 3, name: "Ask about this", description: "", contexts: [0, 1] };
const start = Date.UTC(2026, 0, 1);

function healthy(): Record<string, unknown> {
	return {
		"/users/@me": { id: "11", username: "parley" },
		"/applications/@me": { id: "22", name: "Parley", flags: 1 << 19 },
		"/gateway/bot": { shards: 1, session_start_limit: { remaining: 990, reset_after: 3_600_000 } },
		"/gateway": {},
		"/users/@me/guilds": [{ id: "1", name: "Home" }],
		"/guilds/1/members/11": { roles: ["2"] },
		"/guilds/1/roles": [
			{ id: "1", permissions: "0" },
			{ id: "2", permissions: String(all) },
		],
		"/guilds/1/channels": [{ id: "5", name: "general", type: 0, permission_overwrites: [] }],
		"/applications/22/commands": [
			{ id: "1", type: 1, name: "whoami", description: "Who you are", contexts: [0, 1] },
			menu,
		],
	};
}

class Answers extends ScriptedPort {
	readonly bodies: Record<string, unknown>;
	readonly statuses: Record<string, number> = {};
	date = new Date(start).toUTCString();

	constructor(changes: Record<string, unknown>) {
		super();
		this.bodies = { ...healthy(), ...changes };
	}

	override async request(request: Parameters<ScriptedPort["request"]>[0]) {
		this.requests.push(request);
		const status = this.statuses[request.path] ?? 200;
		return { status, headers: { date: this.date }, body: this.bodies[request.path] ?? null };
	}
}

async function examine(
	changes: Record<string, unknown> = {},
	adjust: (port: Answers) => void = () => undefined,
) {
	const port = new Answers(changes);
	adjust(port);
	const memory = { load: async () => undefined, save: async () => undefined };
	const parts: DoctorParts = { port, clock: new ManualClock(start), shapes: [whoami], memory };
	const findings: Finding[] = [];
	for await (const finding of examineDiscord(parts)) findings.push(finding);
	return { findings, port, wrong: findings.filter(({ status }) => status !== "ok") };
}

test("without problems, every check reports ok and changes nothing", async () => {
	const { findings, wrong, port } = await examine();
	expect(wrong).toEqual([]);
	expect(findings.map(({ id }) => id)).toEqual([
		...["discord-token", "discord-intents", "discord-interactions", "discord-invite", "discord-gateway"],
		...["discord-clock", "discord-servers", "discord-permissions", "discord-commands"],
	]);
	expect(port.requests.every(({ method }) => method === "GET")).toBe(true);
});

const channel = { id: "5", name: "general", type: 0 };
const without = (bit: bigint) => [{ id: "1", type: 0, allow: "0", deny: String(bit) }];
const gateway = (remaining: number, shards = 1) => ({
	"/gateway/bot": { shards, session_start_limit: { remaining, reset_after: 7_200_000 } },
});

test.each<[string, Record<string, unknown>, Omit<Finding, "fix">, string]>([
	[
		"no message content",
		{ "/applications/@me": { id: "22", name: "Parley", flags: 0 } },
		{
			id: "discord-intents",
			status: "fail",
			what: "the bot is not allowed to read messages, so Discord refuses the connection",
		},
		"https://discord.com/developers/applications/22/bot",
	],
	[
		"interactions that go elsewhere",
		{
			"/applications/@me": {
				id: "22",
				name: "P",
				flags: 1 << 18,
				interactions_endpoint_url: "https://other",
			},
		},
		{
			...{ id: "discord-interactions", status: "fail" },
			what: "Discord sends commands and buttons to https://other instead of the connector",
		},
		"https://discord.com/developers/applications/22/information",
	],
	[
		"a code grant",
		{ "/applications/@me": { id: "22", name: "P", flags: 1 << 18, bot_require_code_grant: true } },
		{ id: "discord-invite", status: "fail", what: "the invite link alone cannot add the bot to a server" },
		"Requires OAuth2 Code Grant",
	],
	[
		"no sessions",
		gateway(0),
		{
			id: "discord-gateway",
			status: "fail",
			what: "Discord allows no further connections until the limit resets",
		},
		"wait 2 hours",
	],
	[
		"few sessions",
		gateway(20),
		{
			id: "discord-gateway",
			status: "warn",
			what: "Discord allows only 20 more connections until the limit resets",
		},
		"restarts repeatedly",
	],
	[
		"shards",
		gateway(900, 3),
		{ id: "discord-gateway", status: "warn", what: "Discord recommends 3 connections for this bot" },
		"2,500",
	],
	[
		"no server",
		{ "/users/@me/guilds": [] },
		{ id: "discord-servers", status: "fail", what: "the bot is not in any server" },
		`https://discord.com/oauth2/authorize?client_id=22&scope=bot+applications.commands&permissions=${all | PermissionFlagsBits.AddReactions}`,
	],
	[
		"too little in a server",
		{ "/guilds/1/roles": [{ id: "1", permissions: String(all & ~(1n << 15n)) }] },
		{
			...{ id: "discord-permissions", status: "fail" },
			what: 'the bot lacks permissions in Home: "Attach Files" (to post files and long answers)',
		},
		"guild_id=1&disable_guild_select=true",
	],
	[
		"too little in a channel",
		{ "/guilds/1/channels": [{ ...channel, permission_overwrites: without(1n << 11n) }] },
		{
			...{ id: "discord-permissions", status: "warn" },
			what: "the bot lacks permissions in channels of Home: #general: Send Messages",
		},
		"Edit Channel",
	],
	[
		"old commands",
		{ "/applications/22/commands": [menu] },
		{
			...{ id: "discord-commands", status: "warn" },
			what: "the commands on Discord are not up to date: whoami (missing)",
		},
		"parley discord doctor --fix",
	],
	[
		"a command that another program has overwritten",
		{ "/applications/22/commands": [{ id: "1", type: 1, name: "whoami", description: "Hi" }, menu] },
		{
			...{ id: "discord-commands", status: "warn" },
			what: "the commands on Discord are not up to date: whoami (overwritten)",
		},
		"restart the connector",
	],
])("%s: reports the problem and the fix", async (_case, changes, expected, fix) => {
	const { wrong } = await examine(changes);
	expect(wrong).toHaveLength(1);
	expect(wrong[0]).toMatchObject(expected);
	expect(wrong[0]?.fix).toContain(fix);
});

test("a channel that the bot does not see is ignored", async () => {
	const hidden = { ...channel, permission_overwrites: without((1n << 10n) | (1n << 11n)) };
	expect((await examine({ "/guilds/1/channels": [hidden] })).wrong).toEqual([]);
});

test("some of many channels are named", async () => {
	const channels = Array.from({ length: 8 }, (_, index) => ({
		...{ id: String(index), name: `c${index}`, type: 0, permission_overwrites: without(1n << 11n) },
	}));
	const { wrong } = await examine({ "/guilds/1/channels": channels });
	expect(wrong[0]?.what).toMatch(/#c4: Send Messages; and 3 more channels$/);
});

test.each([
	[20_000, undefined],
	[-40_000, "warn"],
	[400_000, "fail"],
])("a clock that is %i ms away", async (apart, status) => {
	const { wrong } = await examine({}, (port) => {
		port.date = new Date(start + apart).toUTCString();
	});
	expect(wrong.map((finding) => finding.status)).toEqual(status === undefined ? [] : [status]);
});

test("an unknown token is the only finding", async () => {
	const { findings } = await examine({ "/users/@me": { message: "401: Unauthorized" } }, (port) => {
		port.statuses["/users/@me"] = 401;
	});
	expect(findings).toMatchObject([
		{ id: "discord-token", status: "fail", what: "Discord does not accept the token" },
	]);
	expect(findings[0]?.fix).toContain("DISCORD_TOKEN");
});

test("a failed check is a finding, and the others continue", async () => {
	const { wrong } = await examine({}, (port) => {
		port.statuses["/gateway/bot"] = 503;
	});
	expect(wrong).toMatchObject([{ id: "discord-gateway", status: "fail" }]);
	expect(wrong[0]?.fix).toContain("discordstatus.com");
});

test("after a rate limit, the advice is to wait", async () => {
	const { wrong } = await examine({}, (port) => {
		port.statuses["/gateway/bot"] = 429;
	});
	expect(wrong).toMatchObject([{ id: "discord-gateway", status: "fail", fix: "wait, and try again" }]);
});
