import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { OutboxRow } from "@parley/connector";
import { expect, test } from "vitest";
import { ok, refused, ScriptedPort } from "../testing/scripted-slack.ts";
import { slackSurface } from "./slack-surface.ts";

const nonce = "n".repeat(24);
const self = { team: "T1", user: "U0", bot: "B0", name: "parley", url: "https://acme.slack.com/" };
const thread = "1700000000.000100";
const file = { name: "answer.md", content: "é" };

function open() {
	const clock = new ManualClock();
	const port = new ScriptedPort();
	const log = new MemoryLogger();
	const cards = new Map<string, string>();
	const files = new Map<string, Uint8Array>();
	const surface = slackSurface({
		...{ port, self, clock, log },
		cards: async (card) => cards.get(card),
		readFile: async (id) => files.get(id) ?? Promise.reject(new Error(`no ${id}`)),
	});
	const row = (payload: unknown, more: Partial<OutboxRow> = {}): OutboxRow => ({
		id: "s/1/0",
		nonce,
		conversation: `T1/C1/${thread}`,
		lane: "approval",
		at: clock.now(),
		attempt: 1,
		payload,
		...more,
	});
	const post = (more: object = {}) => ({ type: "post", body: "hello", ...more });
	return { clock, port, log, cards, files, surface, row, post };
}

function ownMessage(ts: string, more: object = {}) {
	return { ts, user: "U0", bot_id: "B0", ...more };
}

const marked = { metadata: { event_type: "parley_post", event_payload: { nonce } } };

test("a post is in its thread, mentions no person, shows no previews and can be found", async () => {
	const { surface, port, row, post } = open();
	expect(await surface.send(row(post()))).toMatchObject({ remote: "C1-1700000900.000100" });
	expect(port.calls).toEqual([
		{
			method: "chat.postMessage",
			args: {
				channel: "C1",
				thread_ts: thread,
				text: "hello",
				blocks: [{ type: "markdown", text: "hello" }],
				unfurl_links: false,
				unfurl_media: false,
				parse: "none",
				link_names: false,
				...marked,
			},
		},
	]);
});

test("an edit changes the message that it names, and its buttons with it", async () => {
	const { surface, port, row, post } = open();
	const controls = [[{ type: "button", id: "c1", label: "Stop", style: "danger" }]];
	const edit = row(post({ controls }), { target: "C1-1700000001.000200" });
	expect(await surface.send(edit)).toMatchObject({ remote: "C1-1700000001.000200" });
	const button = { type: "button", action_id: "c1", style: "danger" };
	expect(port.calls).toEqual([
		{
			method: "chat.update",
			args: {
				channel: "C1",
				ts: "1700000001.000200",
				text: "hello",
				parse: "none",
				link_names: false,
				blocks: [
					{ type: "markdown", text: "hello" },
					{
						type: "actions",
						elements: [{ ...button, text: { type: "plain_text", text: "Stop", emoji: false } }],
					},
				],
			},
		},
	]);
});

test("a post below a card waits for it, and is in the same thread, because Slack has no nested threads", async () => {
	const { surface, port, row, post, cards, clock } = open();
	const below = row(post({ thread: "card" }), { conversation: "T1/C1#task:1" });
	await expect(surface.send(below)).rejects.toMatchObject({ kind: "rate-limited" });
	cards.set("card", "C1-1700000005.000500");
	await surface.send(below);
	expect(port.last).toMatchObject({ channel: "C1", thread_ts: "1700000005.000500" });
	await surface.send(row(post({ thread: "card" })));
	expect(port.last).toMatchObject({ channel: "C1", thread_ts: thread });
	const opened = row({ type: "thread", card: "card", name: "Task" }, { conversation: "T1/C1" });
	expect(await surface.send(opened)).toEqual({ remote: "C1-1700000005.000500" });
	cards.clear();
	clock.advance(60_000);
	await expect(surface.send({ ...opened, at: clock.now() - 60_000 })).rejects.toMatchObject({ kind: "gone" });
	await surface.send({ ...below, at: clock.now() - 60_000 });
	expect(port.last).not.toHaveProperty("thread_ts");
});

test("a post that notifies a person can have a button to the post of a card", async () => {
	const { surface, port, row, post, cards } = open();
	const label = "Open the card";
	const buttonUrls = () =>
		(port.last as { blocks: { type: string; elements?: { url?: string }[] }[] }).blocks
			.filter(({ type }) => type === "actions")
			.flatMap(({ elements = [] }) => elements.map(({ url }) => url));
	const inChannel = { card: "card", label, room: { tenant: "T1", channel: "C1" } };
	await surface.send(row(post({ mentions: ["U7"], opens: inChannel })));
	expect(port.last).toMatchObject({ text: "<@U7> hello" });
	expect(buttonUrls()).toEqual([]);
	cards.set("card", "C1-1700000005.000500");
	await surface.send(row(post({ opens: inChannel })));
	expect(buttonUrls()).toEqual(["https://acme.slack.com/archives/C1/p1700000005000500"]);
	const inThread = { ...inChannel, room: { ...inChannel.room, thread: `C1-${thread}` } };
	await surface.send(row(post({ opens: inThread })));
	expect(buttonUrls()).toEqual([
		`https://acme.slack.com/archives/C1/p1700000005000500?thread_ts=${thread}&cid=C1`,
	]);
});

test("a post with an unknown result is found by its nonce, not by its content", async () => {
	const { surface, port, row, post, clock } = open();
	port.answer("chat.postMessage", new Error("timed out"));
	await expect(surface.send(row(post()))).rejects.toMatchObject({ kind: "unknown" });
	const other = { metadata: { event_type: "parley_post", event_payload: { nonce: "other" } } };
	port.answer(
		"conversations.replies",
		ok({
			messages: [ownMessage("1700000002.000100", other), { ts: "1700000002.000200", user: "U9", ...marked }],
		}),
		ok({ messages: [ownMessage("1700000002.000100", other), ownMessage("1700000003.000100", marked)] }),
	);
	expect(await surface.find(row(post()))).toBeUndefined();
	expect(await surface.find(row(post()))).toEqual({ remote: "C1-1700000003.000100" });
	expect(port.last).toMatchObject({ channel: "C1", ts: thread, include_all_metadata: true, inclusive: true });
	// This machine's clock may be some minutes ahead of Slack's clock.
	expect(Number(port.last?.["oldest"])).toBeLessThanOrEqual((clock.now() - 300_000) / 1000);
	port.answer("conversations.history", ok({ messages: [ownMessage("1700000003.000100", marked)] }));
	expect(await surface.find(row(post(), { conversation: "T1/D1" }))).toEqual({
		remote: "D1-1700000003.000100",
	});
});

test("a search that is rate limited continues at its position, page by page", async () => {
	const { surface, port, row, post } = open();
	const next = (cursor: string) => ({ has_more: true, response_metadata: { next_cursor: cursor } });
	port.answer(
		"conversations.replies",
		ok({ messages: [ownMessage("1700000001.000100")], ...next("p2") }),
		{ type: "rate-limited", retryAfterMs: 60_000 },
		ok({ messages: [ownMessage("1700000003.000100", marked)] }),
	);
	await expect(surface.find(row(post()))).rejects.toMatchObject({
		kind: "rate-limited",
		limit: { scope: `T1/C1/${thread}`, retryAfterMs: 60_000 },
	});
	expect(await surface.find(row(post()))).toEqual({ remote: "C1-1700000003.000100" });
	expect(port.calls.map(({ args }) => args["cursor"])).toEqual([undefined, "p2", "p2"]);
});

test("simultaneous searches in one thread share a request, and a later one sends its own", async () => {
	const { surface, port, row, post } = open();
	port.answer(
		"conversations.replies",
		ok({ messages: [] }),
		ok({ messages: [ownMessage("1700000003.000100", marked)] }),
	);
	const together = [surface.find(row(post())), surface.find(row(post()))];
	expect(await Promise.all(together)).toEqual([undefined, undefined]);
	expect(port.calls).toHaveLength(1);
	expect(await surface.find(row(post()))).toEqual({ remote: "C1-1700000003.000100" });
	expect(port.calls).toHaveLength(2);
});

test("with too many messages, the result of a search is unknown", async () => {
	const { surface, port, row, post } = open();
	const page = ok({
		messages: Array.from({ length: 200 }, () => ownMessage("1700000001.000100")),
		response_metadata: { next_cursor: "more" },
	});
	port.answer("conversations.replies", ...Array.from({ length: 20 }, () => page));
	await expect(surface.find(row(post()))).rejects.toMatchObject({ kind: "rejected" });
	expect(port.calls).toHaveLength(10);
});

test.each([
	["channel_not_found", "gone", /cannot see it/],
	["message_not_found", "gone", /deleted/],
	["is_archived", "closed", /unarchive/],
	["is_inactive", "closed", /archived, frozen or deleted/],
	["not_in_channel", "rejected", /\/invite @parley/],
	["cant_update_message", "rejected", /another app/],
	["msg_too_long", "rejected", /too long/],
	["missing_scope", "rejected", /"chat:write"/],
	["something_else", "rejected", /\(something_else\)$/],
	["internal_error", "unknown", /internal_error/],
	["ratelimited", "rate-limited", /ratelimited/],
	["org_login_required", "rate-limited", /moving into an organisation/],
	["ekm_access_denied", "rate-limited", /suspended access/],
	["team_access_not_granted", "rate-limited", /to add the app/],
	["accesslimited", "rate-limited", /network/],
])("%s is %s, with advice", async (word, kind, words) => {
	const { surface, port, row, post } = open();
	const answer = refused(word, { needed: "chat:write" });
	port.answer("chat.postMessage", answer, answer);
	await expect(surface.send(row(post()))).rejects.toMatchObject({
		kind,
		message: expect.stringMatching(words),
	});
});

test("Slack's details about invalid arguments precede the advice", async () => {
	const { surface, port, row, post } = open();
	const answer = refused("invalid_blocks", { response_metadata: { messages: ["[ERROR] no type"] } });
	port.answer("chat.postMessage", answer, answer);
	await expect(surface.send(row(post()))).rejects.toThrow(
		"Slack refuses chat.postMessage (invalid_blocks) [[ERROR] no type]: the blocks of the message are invalid; report",
	);
});

test("after Slack refuses a token no post is lost: all wait, and Slack gets no request for a minute", async () => {
	const { surface, port, row, post, log, clock } = open();
	port.answer("chat.postMessage", refused("token_revoked"));
	const waits = { kind: "rate-limited", limit: { scope: "everything", retryAfterMs: 60_000 } };
	await expect(surface.send(row(post()))).rejects.toMatchObject(waits);
	await expect(surface.send(row(post()))).rejects.toMatchObject(waits);
	expect(port.calls).toHaveLength(1);
	expect(log.records.map(({ level }) => level)).toEqual(["error"]);
	clock.advance(60_000);
	await surface.send(row(post()));
});

test("a temporary refusal delays its scope for a minute, and no other", async () => {
	const { surface, port, row, post, log } = open();
	port.answer("chat.postMessage", refused("ekm_access_denied"));
	const limit = { scope: "chat.postMessage C1", retryAfterMs: 60_000 };
	await expect(surface.send(row(post()))).rejects.toMatchObject({ kind: "rate-limited", limit });
	expect(surface.scopes({ conversation: `T1/C1/${thread}`, lane: "final", edits: false })).toContain(
		limit.scope,
	);
	await surface.send(row(post(), { conversation: "T1/C2" }));
	expect(log.records.map(({ level }) => level)).toEqual(["warn"]);
});

test("if Slack refuses its blocks, a post is shown in a simpler form with its buttons", async () => {
	const { surface, port, row, post, log } = open();
	port.answer("chat.postMessage", refused("invalid_blocks"));
	const controls = [[{ type: "button", id: "c1", label: "Stop", style: "danger" }]];
	await surface.send(row(post({ controls })));
	expect(port.last?.["blocks"]).toMatchObject([
		{ type: "section", text: { type: "mrkdwn", text: "hello" } },
		{ type: "actions" },
	]);
	expect(log.records.map(({ level }) => level)).toEqual(["warn"]);
});

test("a thread shows that the agent is working, once in ninety seconds, until the answer", async () => {
	const { surface, port, row, post, clock } = open();
	const status = (value: string) => ({ channel_id: "C1", thread_ts: thread, status: value });
	await surface.typing(`T1/C1/${thread}`);
	await surface.typing(`T1/C1/${thread}`);
	await surface.typing("T1/C1");
	await surface.typing("ticket:1");
	expect(port.calls).toEqual([{ method: "agents.sessions.setStatus", args: status("processing") }]);
	clock.advance(90_000);
	await surface.typing(`T1/C1/${thread}`);
	await surface.send(row(post(), { lane: "progress" }));
	await surface.send(row(post(), { lane: "final" }));
	await tick();
	await surface.send(row(post(), { lane: "final" }));
	await tick();
	expect(port.methods.slice(1)).toEqual([
		...["agents.sessions.setStatus", "chat.postMessage", "chat.postMessage"],
		...["agents.sessions.setStatus", "chat.postMessage"],
	]);
	expect(port.calls[4]?.args).toEqual(status("active"));
});

test("a post counts as sent despite any response to its reaction", async () => {
	const { surface, port, row, post } = open();
	await surface.typing(`T1/C1/${thread}`);
	port.answer("agents.sessions.setStatus", () => new Promise(() => undefined));
	expect(await surface.send(row(post(), { lane: "final" }))).toMatchObject({
		remote: "C1-1700000901.000100",
	});
});

test("any status line is removed, and a failure is not an error of the post", async () => {
	const { surface, port, log } = open();
	const at = { channel_id: "C1", thread_ts: thread };
	await surface.stopped(`T1/C1/${thread}`);
	await surface.stopped("T1/C1");
	expect(port.calls).toEqual([{ method: "agents.sessions.setStatus", args: { ...at, status: "active" } }]);
	port.answer("agents.sessions.setStatus", refused("not_an_agent"));
	await surface.stopped(`T1/C1/${thread}`);
	expect(log.records).toMatchObject([{ message: "could not remove the working indicator" }]);
});

test("after a refusal, the status line is not sent for ten minutes", async () => {
	const { surface, port, clock } = open();
	port.answer("agents.sessions.setStatus", refused("not_an_agent"));
	await expect(surface.typing(`T1/C1/${thread}`)).rejects.toMatchObject({ kind: "rejected" });
	clock.advance(599_000);
	await surface.typing(`T1/C1/${thread}`);
	expect(port.calls).toHaveLength(1);
	clock.advance(1000);
	await surface.typing(`T1/C1/${thread}`);
	expect(port.calls).toHaveLength(2);
});

test("the rate limits of a row belong to its conversation, its method and its channel", () => {
	const { surface } = open();
	const conversation = `T1/C1/${thread}#task:1`;
	expect(surface.scopes({ conversation, lane: "final", edits: false })).toEqual([
		...[conversation, "everything", "chat.postMessage", "chat.postMessage C1"],
	]);
	expect(surface.scopes({ conversation, lane: "progress", edits: true })).toEqual([
		...[conversation, "everything", "chat.update", "chat.update rest"],
	]);
	expect(surface.scopes({ conversation: "ticket:1", lane: "final", edits: false })).toEqual([
		"ticket:1",
		"everything",
	]);
});

test("a file follows its post in the same channel", async () => {
	const { surface, port, row, post } = open();
	expect(await surface.send(row(post({ file })))).toMatchObject({ remote: "C1-1700000902.000100" });
	expect(
		port.calls.map(({ method, args }) => [method, args["filename"] ?? args["text"] ?? args["files"]]),
	).toEqual([
		["files.getUploadURLExternal", "answer.md"],
		["upload", undefined],
		["chat.postMessage", "hello"],
		["files.completeUploadExternal", [{ id: "F900", title: "answer.md" }]],
	]);
	expect(port.last).toMatchObject({ channel_id: "C1", thread_ts: thread });
});
