import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { type GrowingPart, type OutboxRow, parseText } from "@parley/connector";
import { expect, test } from "vitest";
import { slackDialect } from "../blocks/dialect.ts";
import { ok, refused, ScriptedPort, self } from "../testing/scripted-slack.ts";
import { slackSurface } from "./slack-surface.ts";

const nonce = "n".repeat(24);
const ts = "1700000900.000100";
const remote = `D1-${ts}`;
const [start, append, stop, update] = [
	"chat.startStream",
	"chat.appendStream",
	"chat.stopStream",
	"chat.update",
];
const timedOut = new Error("timed out");
const stopped = refused("message_not_in_streaming_state");

function open() {
	const [clock, port, log] = [new ManualClock(), new ScriptedPort(), new MemoryLogger()];
	const openSurface = () =>
		slackSurface({
			...{ port, self, clock, log },
			cards: async () => undefined,
			readFile: async () => new Uint8Array(),
		});
	const row = (payload: unknown, more: Partial<OutboxRow> = {}): OutboxRow => ({
		...{ id: "s/1/0", nonce, conversation: "T1/D1/1700000000.000100", lane: "milestone" },
		...{ at: clock.now(), attempt: 1, payload, card: "answer:r1" },
		...more,
	});
	const surface = openSurface();
	const calls = () => port.calls.filter(({ method }) => method.startsWith("chat."));
	let seen = 0;
	const requests = (): string[] => {
		const names = calls().map(({ method }) => method);
		const since = names.slice(seen);
		seen = names.length;
		return since;
	};
	return { clock, port, log, surface, openSurface, row, requests, calls };
}

const button = { type: "button", id: "stop1", label: "Stop", style: "danger" } as const;

function text(markdown: string): GrowingPart {
	return { type: "text", body: slackDialect.write(parseText(markdown).blocks) };
}

function call(id: string, state: "running" | "completed" | "failed", title = "read_file"): GrowingPart {
	return { type: "call", id, title, state };
}

function growing(...parts: GrowingPart[]) {
	const body = parts.map((part) => (part.type === "text" ? part.body : part.title)).join("\n\n");
	const grows = { reader: "slack:T1:UADA", parts };
	return { type: "post", body, live: true, key: "answer:r1", controls: [[button]], grows };
}

const completePost = { type: "post", body: "One two.", key: "answer:r1" };

test("an answer in the thread of a direct message starts a stream, to which new parts are added, and ends complete", async () => {
	const { surface, port, row, requests, calls } = open();
	expect(await surface.send(row(growing(text("One"))))).toMatchObject({ remote });
	expect(port.last).toEqual({
		channel: "D1",
		thread_ts: "1700000000.000100",
		recipient_user_id: "UADA",
		recipient_team_id: "T1",
		chunks: [
			{
				type: "blocks",
				blocks: [{ type: "actions", block_id: `parley_post:${nonce}`, elements: [expect.anything()] }],
			},
			{ type: "markdown_text", text: "One" },
		],
	});
	const edit = { target: remote, lane: "progress" } as const;
	await surface.send(row(growing(text("One two."), call("c1", "running")), edit));
	expect(port.last).toEqual({
		channel: "D1",
		ts,
		chunks: [
			{ type: "markdown_text", text: " two." },
			{ type: "task_update", id: "c1", title: "read_file", status: "in_progress" },
		],
	});
	await surface.send(row(growing(text("One two."), call("c1", "completed"), text("Three")), edit));
	expect(port.last?.["chunks"]).toEqual([
		{ type: "task_update", id: "c1", title: "read_file", status: "complete" },
		{ type: "markdown_text", text: "Three" },
	]);
	await surface.send(row(growing(text("One two."), call("c1", "completed"), text("Three")), edit));
	expect(requests()).toEqual([start, append, append]);
	await surface.send(row(completePost, { target: remote, lane: "final" }));
	expect(calls().at(-2)).toEqual({ method: stop, args: { channel: "D1", ts, session_status: "active" } });
	expect(calls().at(-1)?.args).toMatchObject({
		ts,
		metadata: { event_payload: { nonce } },
		text: "One two.",
	});
});

test("a post in a channel, outside of a thread, or with blocks other than text is not a stream", async () => {
	const { surface, row, requests, clock } = open();
	const { grows: _, ...ungrown } = growing(text("One"));
	const rows = [
		row(growing(text("One")), { conversation: "T1/C1/1700000000.000100" }),
		row(growing(text("One")), { conversation: "T1/D1" }),
		row(growing(text("| a | b |\n| - | - |\n| c | d |"))),
		row(growing(text("`<@U1>`"))),
		row(ungrown),
	];
	for (const one of rows) {
		clock.advance(2000);
		await surface.send(one);
	}
	expect(requests()).toEqual(rows.map(() => "chat.postMessage"));
});

test("a stream that Slack refuses is a post that grows by edits, and no stream is tried for ten minutes", async () => {
	const { surface, port, row, requests, clock } = open();
	port.answer(start, refused("not_allowed"));
	expect(await surface.send(row(growing(text("One"))))).toMatchObject({ remote: "D1-1700000900.000100" });
	await surface.send(row(growing(text("One"))));
	expect(requests()).toEqual([start, "chat.postMessage", "chat.postMessage"]);
	clock.advance(600_000);
	port.answer(start, { type: "rate-limited", retryAfterMs: 1000 });
	await surface.send(row(growing(text("One"))));
	clock.advance(60_000);
	await surface.send(row(growing(text("One"))));
	expect(requests()).toEqual([start, "chat.postMessage", start]);
});

test("a stream whose start has no response is found by the id of its block", async () => {
	const { surface, port, row } = open();
	port.answer(start, timedOut);
	await expect(surface.send(row(growing(text("One"))))).rejects.toMatchObject({ kind: "unknown" });
	const other = { ts: "1700000001.000100", user: self.user, blocks: [{ block_id: "parley_post:other" }] };
	const found = { ts, user: self.user, blocks: [{ block_id: `parley_post:${nonce}` }] };
	port.answer("conversations.replies", ok({ messages: [other] }), ok({ messages: [other, found] }));
	expect(await surface.find(row(growing(text("One"))))).toBeUndefined();
	expect(await surface.find(row(growing(text("One"))))).toEqual({ remote });
});

async function begun() {
	const opened = open();
	await opened.surface.send(opened.row(growing(text("One"))));
	opened.requests();
	const next = opened.row(growing(text("One two")), { target: remote, lane: "progress" });
	const end = opened.row(completePost, { target: remote, lane: "final" });
	return { ...opened, next, end };
}

test("an addition that may have arrived is not repeated: the stream ends and the post grows by edits", async () => {
	const { surface, port, next, end, requests, calls } = await begun();
	port.answer(append, timedOut);
	await expect(surface.send(next)).rejects.toMatchObject({ kind: "unknown" });
	await surface.send(next);
	await surface.send(next);
	await surface.send(end);
	expect(requests()).toEqual([append, stop, update, update, update]);
	expect(calls().at(-1)?.args).toMatchObject({ text: "One two." });
});

test("an addition that Slack delays is sent later, in the same stream", async () => {
	const { surface, port, next, requests } = await begun();
	port.answer(append, { type: "rate-limited", retryAfterMs: 1000 });
	await expect(surface.send(next)).rejects.toMatchObject({ kind: "rate-limited" });
	await surface.send(next);
	expect(requests()).toEqual([append, append]);
	expect(port.last?.["chunks"]).toEqual([{ type: "markdown_text", text: " two" }]);
});

test.each([
	["message_not_in_streaming_state", [append, stop, update]],
	["msg_too_long", [append, stop, update]],
])("after the refusal %s, the post grows by edits", async (code, methods) => {
	const { surface, port, next, requests } = await begun();
	port.answer(append, refused(code));
	if (code.startsWith("message_not")) port.answer(stop, stopped);
	await surface.send(next);
	expect(requests()).toEqual(methods);
});

test("an update of a deleted stream reports that the post is gone", async () => {
	const { surface, port, next, end } = await begun();
	port.answer(append, refused("message_not_found"));
	await expect(surface.send(next)).rejects.toMatchObject({ kind: "gone" });
	port.answer(stop, refused("message_not_found"));
	await expect(surface.send(end)).rejects.toMatchObject({ kind: "gone" });
});

test.each([
	["another text", [text("Two")]],
	["fewer parts", []],
	["a table", [text("One\n\n| a | b |\n| - | - |\n| c | d |")]],
	["another call in its place", [call("c2", "running")]],
])("a state with %s cannot be added, so the stream ends and the post is edited", async (_, parts) => {
	const { surface, row, requests } = await begun();
	await surface.send(row(growing(...parts), { target: remote, lane: "progress" }));
	expect(requests()).toEqual([stop, update]);
});

test("a stream ends before Slack ends it, after four minutes", async () => {
	const { surface, clock, next, end, requests } = await begun();
	clock.advance(4 * 60_000 + 1);
	await surface.send(next);
	await surface.send(end);
	expect(requests()).toEqual([stop, update, update]);
});

test("the end of a stream without a response is repeated, and then the answer is complete", async () => {
	const { surface, port, end, requests } = await begun();
	port.answer(stop, timedOut, stopped);
	await expect(surface.send(end)).rejects.toMatchObject({ kind: "unknown" });
	await surface.send(end);
	port.answer(update, timedOut);
	await expect(surface.send(end)).rejects.toMatchObject({ kind: "unknown" });
	await surface.send(end);
	expect(requests()).toEqual([stop, stop, update, update, update]);
});

test("a stream that Slack does not end without a status is ended without it", async () => {
	const { surface, port, end, requests, calls } = await begun();
	port.answer(stop, refused("invalid_arguments"));
	await surface.send(end);
	expect(requests()).toEqual([stop, stop, update]);
	expect(calls().at(-2)?.args).toEqual({ channel: "D1", ts });
});

test("if Slack refuses to end a stream, the answer waits until Slack ends it", async () => {
	const { surface, port, end, log } = await begun();
	const conflict = refused("streaming_state_conflict");
	port.answer(stop, refused("fishy"), refused("fishy"), refused("fishy"), refused("fishy"));
	port.answer(update, conflict, conflict);
	await expect(surface.send(end)).rejects.toMatchObject({ kind: "rate-limited" });
	expect(log.records.filter(({ level }) => level === "warn")).toHaveLength(2);
	expect(await surface.send(end)).toMatchObject({ remote });
});

test("the next process ends the stream of the last one with its first edit", async () => {
	const { openSurface, port, next, end, requests } = await begun();
	const conflict = refused("streaming_state_conflict");
	port.answer(update, conflict);
	const surface = openSurface();
	await surface.send(next);
	await surface.send(end);
	expect(requests()).toEqual([update, stop, update, update]);
	port.answer(update, conflict);
	port.answer(stop, timedOut);
	await expect(openSurface().send(end)).rejects.toMatchObject({ kind: "unknown" });
});

test("a stream is ended before it is deleted, if Slack requires that", async () => {
	const { surface, port, row, requests } = await begun();
	port.answer("chat.delete", refused("streaming_state_conflict"));
	await surface.send(row({ type: "delete" }, { target: remote }));
	expect(requests()).toEqual(["chat.delete", stop, "chat.delete"]);
});
