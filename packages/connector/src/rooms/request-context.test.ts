import { defined } from "@parley/base";
import { expect, test } from "vitest";
import type { ReadMessage } from "../platform/inbound-event.ts";
import { Stage } from "../testing/stage.ts";

const address = { us: true, others: false, everyone: false };

function earlier(id: string, more: Partial<ReadMessage> = {}): ReadMessage {
	const author = { id: "ben", name: "Ben", roles: [], guest: false, bot: false };
	const sentMessage = { at: 60_000, text: `text of ${id}`, attachments: [], ours: false };
	return { id, relation: "thread", author, ...sentMessage, ...more };
}

async function send(
	stage: Stage,
	more: { readonly text?: string; readonly in?: string; readonly referenced?: ReadMessage[] } = {},
) {
	const { text = "what now?", in: room = "general/thread", referenced } = more;
	const message = stage.nextMessage();
	const happened = { at: stage.clock.now(), room: stage.room(room), person: stage.person() };
	const sentMessage = {
		message,
		text,
		address,
		attachments: [],
		ourThread: false,
		...defined({ referenced }),
	};
	await stage.arrive({ type: "message", ...happened, ...sentMessage }, `message:${message}`);
	const sent = stage.gateway.requests.findLast(({ method }) => method === "send_message")?.params;
	return sent as {
		content: string;
		attachments?: string[];
		context?: { messages: object[]; problem?: string };
	};
}

test("a request contains up to 50 messages of its thread, or up to 20 or the configured number of its channel", async () => {
	const stage = await Stage.open();
	stage.platform.earlier.push(...Array.from({ length: 60 }, (_, index) => earlier(`e${index}`)));
	const thread = await send(stage);
	expect(thread.context?.messages).toHaveLength(50);
	expect(thread.context).toMatchObject({ has_older: true });
	expect(thread.context?.messages.at(-1)).toEqual({
		id: "e59",
		relation: "thread",
		author: { id: "ben", name: "Ben", roles: [], guest: false, bot: false },
		ts: "1970-01-01T00:01:00.000Z",
		text: "text of e59",
	});
	const channel = await send(stage, { in: "general" });
	expect(channel.context?.messages).toHaveLength(20);
	expect(channel.context?.messages[0]).toMatchObject({ relation: "channel" });
	stage.gateway.facts.set("guild:quiet", { mention: "required", sessions: "shared", context: 5 });
	expect((await send(stage, { in: "quiet" })).context?.messages).toHaveLength(5);
	stage.gateway.facts.set("guild:off", { mention: "required", sessions: "shared", context: 0 });
	expect((await send(stage, { in: "off/thread" })).context).toBeUndefined();
	expect((await send(stage, { in: "dm" })).context).toBeUndefined();
	await stage.stop();
});

test("referenced messages are always read, with their files, even if reading earlier messages is disabled", async () => {
	const stage = await Stage.open();
	stage.gateway.facts.set("guild:off", { mention: "required", sessions: "shared", context: 0 });
	stage.platform.attachments.set("plan.pdf", Buffer.from("abc"));
	const attachments = ["plan.pdf", "missing"].map((name) => ({ id: name, name, size: 3, url: name }));
	const referenced = [earlier("r1", { relation: "forward", attachments, editedAt: 90_000 })];
	const sent = await send(stage, { in: "off", text: "", referenced });
	expect(sent.content).toBe("Look at the message that I refer to.");
	expect(sent.attachments).toHaveLength(1);
	expect(sent.context?.messages).toMatchObject([
		{
			id: "r1",
			relation: "forward",
			edited_ts: "1970-01-01T00:01:30.000Z",
			files: [{ name: "plan.pdf", bytes: 3 }, { name: "missing" }],
		},
	]);
	await stage.stop();
});

test("the newest files of a thread are read once, and files of a channel only by name", async () => {
	const stage = await Stage.open();
	const attachments = ["a", "b"].map((name) => ({ id: name, name, size: 1, url: name }));
	for (const name of ["a", "b"]) stage.platform.attachments.set(name, Buffer.from("x"));
	stage.platform.earlier.push(earlier("e1", { attachments }));
	expect((await send(stage)).attachments).toHaveLength(2);
	expect((await send(stage)).attachments).toBeUndefined();
	const channel = await send(stage, { in: "general" });
	expect(channel.attachments).toBeUndefined();
	expect(channel.context?.messages).toMatchObject([{ files: [{ name: "a" }, { name: "b" }] }]);
	await stage.stop();
});

test("a request waits at most three seconds for earlier messages, and then states that they are missing", async () => {
	const stage = await Stage.open();
	stage.platform.earlier.push(earlier("e1"));
	stage.platform.reading = "silent";
	const sending = send(stage);
	await sending;
	expect(stage.gateway.requests.filter(({ method }) => method === "send_message")).toHaveLength(0);
	await stage.pass(3000);
	const sent = () => stage.gateway.requests.findLast(({ method }) => method === "send_message")?.params;
	expect(sent()).toMatchObject({ content: "what now?", context: { messages: [], problem: "unavailable" } });
	stage.platform.reading = "failing";
	expect((await send(stage)).context).toEqual({ messages: [], problem: "unavailable" });
	expect(stage.log.records.filter(({ level }) => level === "warn")).toHaveLength(2);
	await stage.stop();
});

test("a person gets only messages that they may read", async () => {
	const stage = await Stage.open();
	stage.platform.earlier.push(earlier("e1"));
	stage.platform.reading = "refused";
	expect((await send(stage)).context).toEqual({ messages: [], problem: "not_allowed" });
	expect(stage.platform.queries.at(-1)).toMatchObject({
		person: { id: "ada" },
		before: "m1",
		limits: { thread: 50, channel: 20 },
	});
	await stage.stop();
});

test("answers of other sessions are marked, and the bot's own cards and notices are omitted", async () => {
	const stage = await Stage.open();
	const ours = { ours: true, author: { id: "us", name: "Parley", roles: [], guest: false, bot: true } };
	await send(stage, { in: "random" });
	stage.gateway.newest.end({ content: "an answer elsewhere", error: "" });
	await stage.quiet();
	const [post] = stage.platform.surface.posts.filter(({ payload }) =>
		JSON.stringify(payload).includes("elsewhere"),
	);
	stage.platform.earlier.push(earlier(post?.remote ?? "", ours), earlier("unknown", ours));
	const { context } = await send(stage);
	expect(context?.messages).toMatchObject([
		{ id: post?.remote, author: { self: "elsewhere" } },
		{ id: "unknown", author: { self: "here" } },
	]);
	await stage.stop();
});

test("ten thousand long messages fit into one request to the gateway", async () => {
	const stage = await Stage.open();
	const text = "\u{1f600}".repeat(50_000);
	stage.platform.earlier.push(
		...Array.from({ length: 10_000 }, (_, index) => earlier(`e${index}`, { text })),
	);
	const sent = await send(stage);
	expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThan(400_000);
	expect(sent.context?.messages.length).toBeGreaterThan(1);
	expect(sent.context?.messages.at(-1)).toMatchObject({ id: "e9999" });
	await stage.stop();
});
