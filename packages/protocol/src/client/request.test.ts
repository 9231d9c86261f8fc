import { afterEach, beforeEach, expect, test } from "vitest";
import { ScriptedGateway } from "../testing/scripted-gateway.ts";
import { WatchedClient } from "../testing/watched-client.ts";

let gateway: ScriptedGateway;
let watched: WatchedClient;

beforeEach(async () => {
	gateway = await ScriptedGateway.listen();
	watched = new WatchedClient(gateway.url);
});

afterEach(async () => {
	await watched.client.close();
	await gateway.close();
});

const sent = { status: "sent", run_id: "run_1" };

test("a request names its session, gets a key, and resolves with the result", async () => {
	const result = watched.client.request("send_message", { content: "hi" }, { sessionId: "sess_1" });
	const peer = await gateway.connection();
	const request = await peer.answer("send_message", { ...sent, queued_position: 2 });
	expect(request).toEqual({
		type: "req",
		id: "req-1",
		method: "send_message",
		params: { content: "hi", key: expect.stringMatching(/^key_/) },
		session_id: "sess_1",
	});
	expect(await result).toEqual({ ...sent, queued_position: 2 });
});

test("a given key is used, and a read request gets no key", async () => {
	const { client } = watched;
	const answers = [
		client.request("send_message", { content: "hi", key: "mine" }),
		client.request("load_messages", { limit: 5 }),
	];
	const peer = await gateway.connection();
	expect((await peer.answer("send_message", sent)).params).toEqual({ content: "hi", key: "mine" });
	expect((await peer.answer("load_messages", [])).params).toEqual({ limit: 5 });
	expect(await Promise.all(answers)).toEqual([sent, []]);
});

test("a request whose response was lost is sent again unchanged, and settles once", async () => {
	const result = watched.client.request("send_message", { content: "hi" });
	const first = await gateway.connection();
	const request = await first.request("send_message");
	await first.cut();
	await watched.retry();
	const second = await gateway.connection();
	expect(await second.answer("send_message", sent)).toEqual(request);
	expect(await result).toEqual(sent);
});

test("requests without a connection are sent in their order when there is one", async () => {
	const first = await gateway.connection();
	await first.cut();
	await watched.until("lost");
	const answers = ["one", "two", "three"].map((content) =>
		watched.client.request("send_message", { content }),
	);
	watched.clock.advance(10_000);
	const second = await gateway.connection();
	for (const content of ["one", "two", "three"]) {
		expect((await second.answer("send_message", sent)).params).toMatchObject({ content });
	}
	expect(await Promise.all(answers)).toEqual([sent, sent, sent]);
});

test("an aborted request rejects and is not sent again", async () => {
	const abort = new AbortController();
	const aborted = watched.client.request("send_message", { content: "no" }, { signal: abort.signal });
	const pending = watched.client.request("cancel_turn", {});
	const first = await gateway.connection();
	await first.request("send_message");
	await first.cut();
	abort.abort();
	await expect(aborted).rejects.toMatchObject({ code: "cancelled", message: "send_message was cancelled" });
	await watched.retry();
	const second = await gateway.connection();
	await second.answer("cancel_turn", { status: "idle" });
	expect(await pending).toEqual({ status: "idle" });
	await expect(
		watched.client.request("cancel_turn", {}, { signal: AbortSignal.abort() }),
	).rejects.toMatchObject({ code: "cancelled" });
});

test("an answer to an aborted request is ignored", async () => {
	const abort = new AbortController();
	const aborted = watched.client.request("cancel_turn", {}, { signal: abort.signal });
	const peer = await gateway.connection();
	const request = await peer.request("cancel_turn");
	abort.abort();
	await expect(aborted).rejects.toMatchObject({ code: "cancelled" });
	peer.send({ type: "res", id: request.id, ok: true, payload: { status: "idle" } });
	const next = watched.client.request("cancel_turn", {});
	await peer.answer("cancel_turn", { status: "cancelled" });
	expect(await next).toEqual({ status: "cancelled" });
});

test("the gateway's refusal rejects with its message and a code", async () => {
	const refused = watched.client.request("accept_all_tools", {}, { sessionId: "sess_9" });
	const peer = await gateway.connection();
	await peer.refuse("accept_all_tools", "session not found: sess_9");
	await expect(refused).rejects.toMatchObject({ code: "not_found", message: "session not found: sess_9" });
});

test("a message that every gateway refuses is refused before it is sent", async () => {
	const content = "€".repeat(400_000);
	await expect(watched.client.request("send_message", { content })).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringMatching(
			/^cannot send send_message: the request has 1200\d+ bytes, and at most 1048576 are allowed; shorten the request$/,
		),
	});
});

test("more than a thousand waiting requests are refused", async () => {
	const waiting = Array.from({ length: 1_000 }, () => watched.client.request("cancel_turn", {}));
	await expect(watched.client.request("cancel_turn", {})).rejects.toMatchObject({
		code: "resource_exhausted",
	});
	const settled = Promise.allSettled(waiting);
	await watched.client.close();
	expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
});
