import { ParleyError } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { InboundEventOf } from "@parley/connector";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { Channels } from "./channels.ts";
import { Intake } from "./intake.ts";
import type { Incoming } from "./translated.ts";

const us = "500";
const clock = new ManualClock();
const id = snowflakeAt(clock.now());
const never = new AbortController().signal;

const ada = { id: "42", username: "ada", global_name: "Ada" };
const channel = { id: "10", type: 0, guild_id: "1", name: "general", permission_overwrites: [] };
const thread = { id: "20", type: 11, guild_id: "1", parent_id: "10", owner_id: us, name: "task" };
const roles = [
	{ id: "70", name: "Parley", tags: { bot_id: us } },
	{ id: "71", name: "Mods" },
];
const guild = { id: "1", owner_id: "9", channels: [channel], threads: [thread], roles };

const message = {
	...{ id, channel_id: "10", guild_id: "1", type: 0, author: ada, member: { nick: null, roles: ["71"] } },
	...{ content: "hello", timestamp: "2026-01-01T00:00:00+00:00", edited_timestamp: null, attachments: [] },
	...{ mentions: [] as object[], mention_roles: [] as string[], mention_everyone: false, embeds: [] },
};
const bot = { id: us, username: "parley", bot: true };

function open() {
	const port = new ScriptedPort();
	const log = new MemoryLogger();
	const channels = new Channels({ port, clock });
	const self = { user: us, application: "501" };
	const audiences = { load: async () => ({}), save: async () => undefined };
	const intake = new Intake({ self, port, channels, audiences, clock, log });
	const translate = (t: string, d: unknown) => intake.translate({ t, d }, never);
	return { port, log, intake, translate };
}

async function inboundOf(t: string, d: object, known = true): Promise<Incoming> {
	const { translate } = open();
	if (known) await translate("GUILD_CREATE", guild);
	const translated = await translate(t, d);
	if ("ignored" in translated) throw new Error(translated.ignored);
	const [first] = translated;
	if (first === undefined) throw new Error("nothing arrived");
	return first;
}

async function messageOf(more: object): Promise<InboundEventOf<"message">> {
	const { inbound } = await inboundOf("MESSAGE_CREATE", { ...message, ...more });
	if (inbound.type !== "message") throw new Error(`it is a ${inbound.type}`);
	return inbound;
}

test("a message arrives with its channel, its author and its time", async () => {
	expect(await inboundOf("MESSAGE_CREATE", message)).toEqual({
		key: { id: `message:1:10:${id}`, conversation: "10" },
		inbound: {
			...{ type: "message", message: id, text: "hello", at: clock.now(), attachments: [], ourThread: false },
			room: { tenant: "1", channel: "10", shared: false, kind: "channel" },
			person: { id: "42", name: "Ada", roles: ["71"], guest: false, bot: false },
			address: { us: false, others: false, everyone: false },
		},
	});
});

test("a thread belongs to its channel, and a thread that Parley opened is marked", async () => {
	const inbound = await messageOf({ channel_id: "20" });
	expect(inbound).toMatchObject({ room: { channel: "10", thread: "20" }, ourThread: true });
	const { key } = await inboundOf("MESSAGE_CREATE", { ...message, channel_id: "20" });
	expect(key).toEqual({ id: `message:1:20:${id}`, conversation: "20" });
});

const renamed = { ...message, type: 4, channel_id: "20", content: "Plans" };

test("a person who renames a thread that Parley opened gives its conversation a title", async () => {
	const { inbound, key } = await inboundOf("MESSAGE_CREATE", renamed);
	const room = { tenant: "1", channel: "10", thread: "20", shared: false, kind: "channel" };
	const person = { id: "42", name: "Ada", roles: ["71"], guest: false, bot: false };
	expect(inbound).toEqual({ type: "retitled", room, person, at: clock.now(), title: "Plans" });
	expect(key.id).toBe(`retitled:1:20:${id}`);
});

test.each([
	["the bot itself", { author: bot }, {}],
	["a person, for a thread of a person", {}, { owner_id: "42" }],
	["a person, for a group", { channel_id: "10" }, {}],
	["a person, without a name", { content: " " }, {}],
])("a new name by %s changes no title", async (_, more, ofThread) => {
	const { translate } = open();
	await translate("GUILD_CREATE", { ...guild, threads: [{ ...thread, ...ofThread }] });
	expect(await translate("MESSAGE_CREATE", { ...renamed, ...more })).toHaveProperty("ignored");
});

test("direct messages have their own tenant, and no roles", async () => {
	const { guild_id: _, member: __, ...direct } = message;
	const { inbound } = await inboundOf("MESSAGE_CREATE", { ...direct, channel_id: "30" }, false);
	expect(inbound).toMatchObject({
		room: { tenant: "dm", channel: "30", kind: "direct" },
		person: { name: "Ada", roles: [] },
	});
});

test("mentions are resolved with the known roles and channels of the guild", async () => {
	const content = `<@${us}> <@&71> <#10>`;
	expect(await messageOf({ content, mentions: [bot], mention_roles: ["71"] })).toMatchObject({
		text: "@Mods #general",
		address: { us: true, others: true },
	});
});

test("files are included, and webhooks are bots", async () => {
	const attachments = [
		{ id: "8", filename: "a.png", size: 3, url: "https://cdn.example/a.png", content_type: "image/png" },
		{ id: "9", filename: "b", size: 4, url: "https://cdn.example/b" },
	];
	expect(await messageOf({ attachments, webhook_id: "77" })).toMatchObject({
		person: { bot: true },
		attachments: [
			{ id: "8", name: "a.png", size: 3, url: "https://cdn.example/a.png", type: "image/png" },
			{ id: "9", name: "b", size: 4, url: "https://cdn.example/b" },
		],
	});
});

test("an edit has its own time, and a change of the preview is not an edit", async () => {
	const edited = { ...message, content: "hallo", edited_timestamp: "2026-01-01T00:00:05.5+00:00" };
	const { inbound, key } = await inboundOf("MESSAGE_UPDATE", edited);
	expect(inbound).toMatchObject({ type: "edited", text: "hallo", message: id, at: clock.now() + 5500 });
	expect(key.id).toBe(`edited:1:10:${id}:${clock.now() + 5500}`);
	// A missed message that was edited has the text of its last edit.
	expect((await inboundOf("MESSAGE_CREATE", edited)).key).toEqual(key);
	const { translate, log } = open();
	const preview = { id, channel_id: "10", guild_id: "1", embeds: [{}] };
	expect(await translate("MESSAGE_UPDATE", preview)).toEqual({
		ignored: "the text of the message is unchanged",
	});
	expect(log.records).toEqual([]);
});

test("deletions arrive one by one", async () => {
	const { translate } = open();
	await translate("GUILD_CREATE", guild);
	const room = { tenant: "1", channel: "10", thread: "20", shared: false, kind: "channel" };
	const of = (at: string) => ({
		inbound: { type: "deleted", room, message: at, at: clock.now() },
		key: { id: `deleted:1:20:${at}`, conversation: "20" },
	});
	const where = { channel_id: "20", guild_id: "1" };
	expect(await translate("MESSAGE_DELETE", { ...where, id: "5" })).toEqual([of("5")]);
	expect(await translate("MESSAGE_DELETE_BULK", { ...where, ids: ["5", "6"] })).toEqual([of("5"), of("6")]);
});

test("four reactions have a meaning; a second one has an effect, except to repeat an answer", async () => {
	const { translate } = open();
	await translate("GUILD_CREATE", guild);
	const reaction = {
		...{ user_id: "42", channel_id: "10", guild_id: "1", message_id: "5" },
		...{ member: { nick: "Countess", roles: [], user: ada }, emoji: { id: null, name: "❌" } },
	};
	const again = { ...reaction, emoji: { id: null, name: "🔁" } };
	expect(await translate("MESSAGE_REACTION_ADD", reaction)).toMatchObject([
		{ inbound: { type: "reaction", sign: "stop", message: "5", person: { name: "Countess" } } },
	]);
	expect(await translate("MESSAGE_REACTION_ADD", again)).toMatchObject([
		{ inbound: { sign: "again" }, key: { id: "reaction:1:10:5:42:again" } },
	]);
	const nothing = { ignored: "the reaction has no meaning for the connector" };
	const named = (name: string) =>
		translate("MESSAGE_REACTION_ADD", { ...reaction, emoji: { id: null, name } });
	expect(await named("👍🏽")).toMatchObject([{ inbound: { sign: "good" } }]);
	expect(await named("👎")).toMatchObject([
		{ inbound: { sign: "bad" }, key: { id: `reaction:1:10:5:42:bad-${clock.now()}` } },
	]);
	expect(await named("🎉")).toEqual(nothing);
	expect(await translate("MESSAGE_REACTION_ADD", { ...reaction, emoji: { id: "3", name: "❌" } })).toEqual(
		nothing,
	);
	expect(await translate("MESSAGE_REACTION_ADD", { ...reaction, user_id: us })).toEqual({
		ignored: "the bot added the reaction itself",
	});
	clock.advance(1);
	const [first] = [await translate("MESSAGE_REACTION_ADD", reaction)].flat();
	expect(first).toMatchObject({ key: { id: `reaction:1:10:5:42:stop-${clock.now()}` } });
});

test.each([
	["our own", "MESSAGE_CREATE", { ...message, author: bot }, "the bot wrote the message itself"],
	[
		"Discord's own",
		"MESSAGE_CREATE",
		{ ...message, type: 7 },
		"the connector does not handle messages of type 7",
	],
	["of no interest", "PRESENCE_UPDATE", {}, "PRESENCE_UPDATE is not used"],
	["no event of Discord", "constructor", {}, "constructor is not used"],
])("an event of %s is ignored with the reason", async (_name, t, d, ignored) => {
	const { translate } = open();
	await translate("GUILD_CREATE", guild);
	expect(await translate(t, d)).toEqual({ ignored });
});

test("a meaningless payload is counted, and each kind is logged once", async () => {
	const { translate, intake, log } = open();
	for (const d of [null, 5, { ...message, author: 7 }, { ...message, author: 8 }]) {
		expect(await translate("MESSAGE_CREATE", d)).toEqual({
			ignored: "the data of the event MESSAGE_CREATE is invalid",
		});
	}
	expect(await translate("GUILD_CREATE", { id: "1", channels: [7, channel], roles: "?" })).toHaveProperty(
		"ignored",
	);
	expect(await translate("MESSAGE_REACTION_ADD", {})).toHaveProperty("ignored");
	expect(intake.malformed).toBe(6);
	const problems = log.records.map(({ fields }) =>
		`${fields["event"]} ${fields["wrong"]}`.replace(/:.*/, ""),
	);
	expect(problems).toEqual([
		...["MESSAGE_CREATE the event", "MESSAGE_CREATE the event", "MESSAGE_CREATE author"],
		...["GUILD_CREATE roles", "MESSAGE_REACTION_ADD user_id"],
	]);
});

test("a forwarded message is marked, and a reply is not", async () => {
	const forwarded = { message_reference: { type: 1, message_id: "7" }, content: "" };
	expect((await messageOf(forwarded)).forwarded).toBe(true);
	const reply = { type: 19, message_reference: { message_id: "7" } };
	expect(await messageOf(reply)).not.toHaveProperty("forwarded");
});

test("after a resume, unknown data is requested until there is a response", async () => {
	const { translate, port } = open();
	const refused = new ParleyError("no answer", { code: "unavailable" });
	port.answer("GET /channels/20", refused, { status: 429, body: { retry_after: 2 } }, { body: thread });
	port.answer("GET /guilds/1/roles", { body: roles });
	const more = { channel_id: "20", channel_type: 11 };
	const both = [
		translate("MESSAGE_CREATE", { ...message, ...more, content: "<@&71> hi", mention_roles: ["71"] }),
		translate("MESSAGE_CREATE", { ...message, ...more }),
	];
	const requests = ["GET /channels/20", "GET /channels/20", "GET /channels/20", "GET /guilds/1/roles"];
	for (const [index, ms] of [1000, 2000, 0].entries()) {
		while (port.requests.length <= index || (ms > 0 && clock.pending === 0)) await Promise.resolve();
		clock.advance(ms);
	}
	const room = { channel: "10", thread: "20" };
	expect(await Promise.all(both)).toMatchObject([
		[{ inbound: { room, text: "@Mods hi" } }],
		[{ inbound: { room, text: "hello" } }],
	]);
	expect(port.requestLines).toEqual(requests);
});

test("a channel that Discord hides from the bot has no inbound events", async () => {
	const { translate, port } = open();
	port.answer("GET /channels/10", { status: 403, body: { code: 50_001 } });
	expect(await translate("MESSAGE_CREATE", message)).toEqual({
		ignored: "the bot cannot see channel 10",
	});
});

test("requests end with the connector", async () => {
	const { intake, port } = open();
	const ending = new AbortController();
	port.answer("GET /channels/10", () => {
		ending.abort();
		return { status: 503 };
	});
	await expect(intake.translate({ t: "MESSAGE_CREATE", d: message }, ending.signal)).rejects.toThrow();
});

test("a replied-to and a forwarded message include their text, their files and their edits", async () => {
	const file = { id: "7", filename: "a.txt", size: 3, url: "https://cdn/a.txt" };
	const sentMessage = {
		...message,
		id: "600",
		author: { id: "43", username: "ben" },
		content: "the plan",
		attachments: [file],
	};
	const reply = await messageOf({
		type: 19,
		message_reference: { message_id: "600" },
		referenced_message: { ...sentMessage, edited_timestamp: "2026-01-01T00:00:00+00:00" },
	});
	expect(reply.referenced).toMatchObject([
		{
			...{ id: "600", relation: "reply", text: "the plan", ours: false },
			...{ author: { id: "43", name: "ben" }, attachments: [{ name: "a.txt" }] },
			editedAt: Date.parse("2026-01-01T00:00:00Z"),
		},
	]);
	const snapshot = { content: "look", timestamp: "2026-01-01T00:00:00+00:00", attachments: [file] };
	const forward = await messageOf({
		content: "",
		message_reference: { type: 1, message_id: "600" },
		message_snapshots: [{ message: snapshot }, "nonsense"],
	});
	expect(forward.referenced).toMatchObject([
		{
			id: "600-0",
			relation: "forward",
			text: "look",
			author: { guest: true },
			attachments: [{ name: "a.txt" }],
		},
	]);
	expect(await messageOf({ type: 19, referenced_message: null })).not.toHaveProperty("referenced");
});
