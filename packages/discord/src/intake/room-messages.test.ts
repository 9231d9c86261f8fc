import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { ContextQuery, Room } from "@parley/connector";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { Audiences } from "./audiences.ts";
import { Channels } from "./channels.ts";
import { readRoomMessages } from "./room-messages.ts";

const us = "500";
const [view, send, history] = [1n << 10n, 1n << 11n, 1n << 16n];
const signal = new AbortController().signal;
const ben = { id: "43", username: "ben", global_name: "Ben" };

function both(limit: number): ContextQuery["limits"] {
	return { thread: limit, channel: limit };
}

interface Given {
	/** Permissions of the default role. */
	readonly permissions?: bigint;
	readonly overwrites?: readonly object[];
	readonly query?: Partial<ContextQuery>;
	readonly answer?: object;
	readonly port?: ScriptedPort;
	readonly threadType?: number;
}

async function read({
	permissions = view | send | history,
	port = new ScriptedPort(),
	...given
}: Given = {}) {
	const { overwrites = [], query, answer = { body: [] }, threadType = 11 } = given;
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const store = { load: async () => undefined, save: async () => undefined };
	const audiences = new Audiences({ port, store, clock, log });
	const roles = [{ id: "1", permissions: String(permissions) }];
	audiences.note({ id: "1", owner_id: "99", roles }, [{ id: "10", permission_overwrites: overwrites }]);
	const channels = new Channels({ port, clock });
	channels.note({ id: "20", type: threadType, parent_id: "10" }, "1");
	const room: Room = { tenant: "1", channel: "10", shared: false, kind: "channel" };
	const person = { id: "42", name: "Ada", roles: [], guest: false, bot: false };
	const request = { room, person, at: clock.now(), text: "", limits: both(20), before: "900", ...query };
	port.answer(`GET /channels/${request.room.thread ?? "10"}/messages`, answer);
	const parts = { self: { user: us, application: "501" }, port, channels, audiences, clock };
	return readRoomMessages(parts, request, signal);
}

function message(n: number, more: object = {}): object {
	return {
		...{ id: snowflakeAt(n * 1000), type: 0, author: ben, content: `text ${n}` },
		...{ mentions: [], attachments: [], embeds: [], edited_timestamp: null, ...more },
	};
}

test("earlier messages are listed oldest first, with authors, edits, files, forwards and embeds", async () => {
	const file = { id: "7", filename: "a.txt", size: 3, content_type: "text/plain", url: "https://cdn/a.txt" };
	const snapshot = { message: { content: "from elsewhere", timestamp: "2026-01-01T00:00:00+00:00" } };
	const body = [
		message(7, { content: "", components: [{ type: 17, components: [{ type: 10, content: "a card" }] }] }),
		message(6, { content: "", embeds: [{ title: "Alert", description: "web-1 is down" }], webhook_id: "8" }),
		message(5, { content: "", message_snapshots: [snapshot] }),
		message(4, { type: 7 }),
		message(3, { author: { id: us, username: "parley", bot: true } }),
		message(2, { edited_timestamp: "1970-01-01T00:01:00+00:00", attachments: [file] }),
		message(1, { type: 21, content: "", referenced_message: message(0, { content: "the start" }) }),
		"nonsense",
		{ id: 5 },
	];
	const { messages, hasOlder } = await read({ answer: { body } });
	expect(hasOlder).toBe(false);
	expect(messages).toMatchObject([
		{ text: "the start", relation: "channel", ours: false },
		{ text: "text 2", editedAt: 60_000, attachments: [{ name: "a.txt", size: 3 }] },
		{ text: "text 3", ours: true },
		{ text: "from elsewhere", author: { id: "43", name: "Ben", bot: false } },
		{ text: "Alert\nweb-1 is down", author: { bot: true } },
		{ text: "a card" },
	]);
});

test("one page is read, and one message more shows that there are older ones", async () => {
	const port = new ScriptedPort();
	const body = [3, 2, 1].map((n) => message(n));
	const read2 = await read({ port, answer: { body }, query: { limits: both(2) } });
	expect(read2.hasOlder).toBe(true);
	expect(read2.messages.map(({ text }) => text)).toEqual(["text 2", "text 3"]);
	expect(port.requests).toMatchObject([{ query: { limit: "3", before: "900" } }]);
	expect((await read({ port, query: { limits: both(0) } })).messages).toEqual([]);
	expect(port.requests).toHaveLength(1);
});

test("a person without the permission for the channel or its history gets no messages", async () => {
	const answer = { body: [message(1)] };
	const refused = { messages: [], hasOlder: false, isRefused: true };
	expect(await read({ answer, permissions: view | send })).toEqual(refused);
	const overwrites = [{ id: "42", type: 1, allow: "0", deny: String(history) }];
	expect(await read({ answer, overwrites })).toEqual(refused);
	const hidden = [{ id: "1", type: 0, allow: "0", deny: String(view) }];
	expect(await read({ answer, overwrites: hidden })).toEqual(refused);
	expect((await read({ answer })).messages).toHaveLength(1);
	expect((await read({ answer, permissions: 1n << 3n })).messages).toHaveLength(1);
});

test("for a delayed request, the current roles decide", async () => {
	const port = new ScriptedPort();
	const overwrites = [
		{ id: "1", type: 0, allow: "0", deny: String(view) },
		{ id: "70", type: 0, allow: String(view), deny: "0" },
	];
	const person = { id: "42", name: "Ada", roles: ["70"], guest: false, bot: false };
	const late = { at: -60_000, person };
	port.answer("GET /guilds/1/members/42", { body: { roles: [] } });
	expect(await read({ port, overwrites, query: late })).toMatchObject({ isRefused: true });
	port.answer("GET /guilds/1/members/42", { status: 404, body: {} });
	expect(await read({ port, overwrites, query: late })).toMatchObject({ isRefused: true });
});

test("in a private thread, only its members get messages", async () => {
	const room = { tenant: "1", channel: "10", thread: "20", shared: false, kind: "channel" as const };
	const given = { threadType: 12, answer: { body: [message(1)] }, query: { room } };
	const port = new ScriptedPort();
	port.answer("GET /channels/20/thread-members/42", { status: 404, body: {} });
	expect(await read({ ...given, port })).toMatchObject({ isRefused: true });
	expect((await read(given)).messages).toHaveLength(1);
	expect((await read({ ...given, threadType: 11 })).messages).toHaveLength(1);
});

test("a refusal or an outage of Discord rejects", async () => {
	for (const status of [403, 404, 429, 500]) {
		await expect(read({ answer: { status, body: {} } })).rejects.toMatchObject({ code: "unavailable" });
	}
});
