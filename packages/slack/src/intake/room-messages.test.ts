import { ManualClock } from "@parley/base/testing";
import type { ContextQuery } from "@parley/connector";
import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { ok, refused, self } from "../testing/scripted-slack.ts";
import { readRoomMessages } from "./room-messages.ts";

const room = { tenant: "T1", channel: "C1", shared: false, kind: "channel" as const };
const thread = { ...room, thread: "C1-1000.000000" };
const person = { id: "UADA", name: "Ada", roles: [], guest: false, bot: false };

function both(limit: number): ContextQuery["limits"] {
	return { thread: limit, channel: limit };
}

async function open() {
	const reading = await openReading();
	const clock = new ManualClock();
	const read = (query: Partial<ContextQuery> = {}) =>
		readRoomMessages(
			{ ...reading, self, clock },
			{ room, person, at: clock.now(), text: "", limits: both(20), before: "C1-2000.000000", ...query },
		);
	return { ...reading, read };
}

function message(n: number, more: object = {}): object {
	return { ts: `${n}.000000`, user: "UADA", text: `text ${n}`, ...more };
}

test("earlier messages of a channel are listed oldest first, with authors, edits and files", async () => {
	const { port, read } = await open();
	const file = { id: "F1", name: "a.txt", size: 3, url_private: "https://files.slack.com/a" };
	const messages = [
		message(1006, { user: undefined, bot_id: "B9", username: "Monitor", subtype: "bot_message" }),
		message(1005, { user: "UGUEST" }),
		message(1004, { subtype: "channel_join" }),
		message(1003, { user: "UBOT", bot_id: "BBOT" }),
		message(1002, { edited: { user: "UADA", ts: "1500.000000" }, files: [file] }),
		message(1001, { text: "hi <@UADA> &amp; all" }),
		"nonsense",
	];
	port.answer("conversations.history", ok({ messages, has_more: false }));
	const { messages: earlier, hasOlder } = await read();
	expect(hasOlder).toBe(false);
	expect(earlier).toMatchObject([
		{ id: "C1-1001.000000", relation: "channel", author: { id: "UADA", name: "Ada" } },
		{ text: "text 1002", editedAt: 1_500_000, attachments: [{ name: "a.txt", size: 3 }] },
		{ ours: true },
		{ author: { id: "UGUEST", guest: true } },
		{ author: { id: "B9", name: "Monitor", bot: true } },
	]);
	expect(port.calls[0]).toEqual({
		method: "conversations.history",
		args: { channel: "C1", limit: 21, latest: "2000.000000" },
	});
});

test("the newest messages of a long thread are found with few requests", async () => {
	const { port, read } = await open();
	const page = (from: number) =>
		ok({ messages: [message(1000), ...[1, 2, 3].map((n) => message(from + n))], has_more: from < 1500 });
	port.answer("conversations.replies", page(1100), page(1200), page(1600));
	const { messages, hasOlder } = await read({ room: thread, limits: both(2) });
	expect(messages.map(({ text }) => text)).toEqual(["text 1602", "text 1603"]);
	expect(hasOlder).toBe(true);
	expect(port.methods.filter((method) => method === "conversations.replies")).toHaveLength(3);
});

test("without earlier messages, a reply in a thread still includes its original message", async () => {
	const { port, read } = await open();
	port.answer("conversations.replies", ok({ messages: [message(1000)], has_more: true }));
	expect((await read({ room: thread, limits: both(0) })).messages).toMatchObject([
		{ relation: "reply", text: "text 1000" },
	]);
	expect((await read({ limits: both(0) })).messages).toEqual([]);
	expect(
		(await read({ room: { ...room, channel: "D1", kind: "direct" }, limits: both(0) })).messages,
	).toEqual([]);
	expect(port.methods.filter((method) => method.startsWith("conversations."))).toHaveLength(1);
});

test("a linked message is included if its reader may see it", async () => {
	const { port, read } = await open();
	port.channels["G2"] = { id: "G2", is_private: true, is_member: true };
	const link = "see https://acme.slack.com/archives/G2/p1000000000?thread_ts=999.000000";
	const shared = ok({ messages: [message(999), message(1000, { text: "the secret plan" })] });
	port.answer("conversations.members", ok({ members: ["UADA"] }));
	port.answer("conversations.replies", shared);
	expect((await read({ text: link, limits: both(0) })).messages).toMatchObject([
		{ id: "G2-1000.000000", relation: "link", text: "the secret plan" },
	]);
	port.answer("conversations.members", ok({ members: ["UBOB"] }));
	expect((await read({ text: link, limits: both(0) })).messages).toEqual([]);
	const others =
		"https://evil.example/archives/C1/p1000000000 https://acme.slack.com/archives/D9/p1000000000";
	expect((await read({ text: others, limits: both(0) })).messages).toEqual([]);
	port.answer("conversations.replies", refused("thread_not_found"));
	const here = "https://acme.slack.com/archives/C1/p1000000000";
	expect((await read({ text: here, limits: both(0) })).messages).toEqual([]);
});

test("for a delayed request, the current membership decides", async () => {
	const { port, read } = await open();
	port.channels["C1"] = { id: "C1", is_private: true, is_member: true };
	port.answer("conversations.members", ok({ members: ["UBOB"] }));
	port.answer("conversations.history", ok({ messages: [message(1001)] }));
	expect(await read({ at: -60_000 })).toEqual({ messages: [], hasOlder: false, isRefused: true });
});

test("a refusal or an outage of Slack rejects", async () => {
	const { port, read } = await open();
	for (const answer of [refused("not_in_channel"), new Error("reset"), ok({ nothing: true })]) {
		port.answer("conversations.history", answer);
		await expect(read()).rejects.toThrow();
	}
	port.answer("conversations.history", { type: "rate-limited", retryAfterMs: 30_000 });
	await expect(read()).rejects.toMatchObject({ code: "unavailable" });
});

const looksAt = (...values: readonly string[]) => ({
	entities: values.map((value) => ({ type: "slack#/types/channel_id", value, team_id: "T1" })),
});
const direct = { room: { ...room, channel: "D1", kind: "direct" as const }, limits: both(0) };

test("a direct message comes with the channel that its author looks at, if the author can read it", async () => {
	const { port, read, translate, clock } = await open();
	const changed = { type: "app_context_changed", user: "UADA", channel: "D1" };
	const idsOf = async (query: object = direct) => (await read(query)).messages.map(({ id }) => id);
	port.channels["C7"] = { id: "C7", is_private: false };
	port.answer("conversations.history", ok({ messages: [message(1002), message(1001)] }));
	expect(await translate({ ...changed, context: looksAt("C7") })).toEqual({
		ignored: "the event only updates cached data",
	});
	expect((await read(direct)).messages).toMatchObject([
		{ id: "C7-1001.000000", relation: "link" },
		{ id: "C7-1002.000000", relation: "link" },
	]);
	expect(port.calls.findLast(({ method }) => method === "conversations.history")?.args).toEqual({
		...{ channel: "C7", limit: 20 },
	});
	expect(await idsOf({ ...direct, person: { ...person, id: "UBOB" } })).toEqual([]);
	port.channels["G8"] = { id: "G8", is_private: true };
	port.answer("conversations.members", ok({ members: ["UBOB"] }));
	await translate({ ...changed, context: looksAt("G8") });
	expect(await idsOf()).toEqual([]);
	for (const context of [looksAt("D2"), looksAt(), {}, "wrong"]) {
		await translate({ ...changed, context });
		expect(await idsOf()).toEqual([]);
	}
	await translate({ ...changed, context: looksAt("C7") });
	clock.advance(31 * 60_000);
	expect(await idsOf()).toEqual([]);
});

test("the context of a message replaces the earlier one, and does not apply to channels", async () => {
	const { port, read, translate, viewed } = await open();
	port.channels["C7"] = { id: "C7", is_private: false };
	const sentMessage = {
		type: "message",
		channel: "D1",
		channel_type: "im",
		ts: "3000.000000",
		user: "UADA",
		text: "hi",
	};
	await translate({ ...sentMessage, app_context: looksAt("C7") });
	expect(viewed.channelOf("UADA")).toBe("C7");
	port.answer("conversations.history", ok({ messages: [] }));
	const { messages } = await read({ limits: both(0) });
	expect(messages).toEqual([]);
	expect(port.methods).not.toContain("conversations.history");
});
