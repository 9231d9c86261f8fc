import { seededIds } from "@parley/base/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EventFrame } from "../frame.ts";
import { type Peer, ScriptedGateway } from "../testing/scripted-gateway.ts";
import { WatchedClient } from "../testing/watched-client.ts";
import type { OpenParams } from "./client.ts";
import type { OpenSession } from "./session-reader.ts";

let gateway: ScriptedGateway;
let watched: WatchedClient;
let peer: Peer;

beforeEach(async () => {
	gateway = await ScriptedGateway.listen();
	watched = new WatchedClient(gateway.url);
	peer = await gateway.connection();
});

afterEach(async () => {
	await watched.client.close();
	await gateway.close();
});

async function open(
	params: OpenParams,
	status: "created" | "resumed",
	lastSeq: number,
): Promise<OpenSession> {
	const opening = watched.client.open(params);
	await peer.opens(params.session_id ?? "sess_1", status, lastSeq);
	return opening;
}

function readerOf(session: OpenSession): (count: number) => Promise<readonly EventFrame[]> {
	const iterator = session.events()[Symbol.asyncIterator]();
	return async (count) => {
		const frames: EventFrame[] = [];
		while (frames.length < count) {
			const { value } = await iterator.next();
			if (!value) throw new Error(`ended after ${frames.length} of ${count} frames`);
			frames.push(value);
		}
		return frames;
	};
}

function seqs(frames: readonly EventFrame[]): readonly number[] {
	return frames.map(({ seq }) => seq);
}

/** Restores the lost connection, and sets `peer` to the new connection. */
async function reconnect(): Promise<void> {
	await watched.retry();
	peer = await gateway.connection();
}

test("a new session is opened with join and a key, and read from its first frame", async () => {
	const opening = watched.client.open({ root_dir: "/srv", title: "Plan" });
	const request = await peer.opens("sess_1", "created", 1);
	expect(request.params).toEqual({
		root_dir: "/srv",
		title: "Plan",
		join: true,
		key: expect.stringMatching(/^key_/),
	});
	peer.event("sess_1", 1, "session.created", {});
	peer.event("sess_1", 2);
	const session = await opening;
	expect(session).toMatchObject({ id: "sess_1", status: "created", lastSeq: 1 });
	expect(seqs(await readerOf(session)(2))).toEqual([1, 2]);
});

test("frames in the packet of the response are not lost", async () => {
	const opening = watched.client.open({ session_id: "sess_1", after_seq: 0 });
	const { id } = await peer.request("open_session");
	peer.send({
		type: "res",
		id,
		ok: true,
		payload: { session_id: "sess_1", status: "resumed", last_seq: 200 },
	});
	for (let seq = 1; seq <= 200; seq++) peer.event("sess_1", seq);
	const frames = await readerOf(await opening)(200);
	expect(seqs(frames)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
});

test("after a reconnect the session is joined from the last seq before anything else is sent", async () => {
	const read = readerOf(await open({ session_id: "sess_1" }, "resumed", 6));
	peer.event("sess_1", 7);
	await read(1);
	const lost = watched.client.request("send_message", { content: "hi" }, { sessionId: "sess_1" });
	await peer.request("send_message");
	await peer.cut();
	await reconnect();
	const joined = await peer.opens("sess_1", "resumed", 9);
	expect(joined.params).toEqual({ session_id: "sess_1", after_seq: 7, join: true });
	await peer.answer("send_message", { status: "sent", run_id: "run_1" });
	for (const seq of [8, 9, 10]) peer.event("sess_1", seq);
	expect((await read(3)).map(({ payload }) => payload)).toMatchObject([
		{ content: "message 8" },
		{ content: "message 9" },
		{ content: "message 10" },
	]);
	await expect(lost).resolves.toMatchObject({ run_id: "run_1" });
});

test("frames that were received before are dropped, whenever the gateway repeats them", async () => {
	const read = readerOf(await open({ session_id: "sess_1", after_seq: 0 }, "resumed", 3));
	for (const seq of [1, 2, 2, 1, 3, 3, 4]) peer.event("sess_1", seq);
	expect(seqs(await read(4))).toEqual([1, 2, 3, 4]);
	await peer.cut();
	await reconnect();
	await peer.opens("sess_1", "resumed", 4);
	for (const seq of [1, 4, 5]) peer.event("sess_1", seq);
	expect(seqs(await read(1))).toEqual([5]);
});

test("a missing frame is never skipped: the connection is dropped and the session resumed", async () => {
	const read = readerOf(await open({ session_id: "sess_1", after_seq: 0 }, "resumed", 4));
	for (const seq of [1, 3]) peer.event("sess_1", seq);
	expect(await peer.closed).toBe(1002);
	await reconnect();
	expect((await peer.opens("sess_1", "resumed", 4)).params).toMatchObject({ after_seq: 1 });
	for (const seq of [2, 3]) peer.event("sess_1", seq);
	expect(seqs(await read(3))).toEqual([1, 2, 3]);
});

test("frames after a bad frame on the same connection are ignored", async () => {
	const read = readerOf(await open({ session_id: "sess_1" }, "resumed", 0));
	peer.event("sess_1", 1);
	peer.socket.send("{");
	peer.event("sess_1", 2);
	expect(await peer.closed).toBe(1002);
	await reconnect();
	expect((await peer.opens("sess_1", "resumed", 2)).params).toMatchObject({ after_seq: 1 });
	peer.event("sess_1", 2);
	expect(seqs(await read(2))).toEqual([1, 2]);
});

test("a reply that was being streamed starts again after a reconnect", async () => {
	const read = readerOf(await open({ session_id: "sess_1" }, "resumed", 1));
	peer.transient("sess_1", 1, { phase: "start", content: "", index: 0 });
	peer.transient("sess_1", 1, { phase: "delta", content: "Hel", index: 0 });
	await read(2);
	await peer.cut();
	await reconnect();
	await peer.opens("sess_1", "resumed", 1);
	peer.transient("sess_1", 1, { phase: "start", content: "", index: 0 });
	peer.transient("sess_1", 1, { phase: "delta", content: "Hello", index: 0 });
	expect((await read(2)).map(({ payload }) => payload)).toMatchObject([
		{ phase: "start" },
		{ phase: "delta", content: "Hello" },
	]);
});

test("a client without transient frames gets all others and the prompts", async () => {
	const other = new WatchedClient(gateway.url, { transient: false });
	const connection = await gateway.connection();
	const opening = other.client.open({ session_id: "sess_1" });
	await connection.opens("sess_1", "resumed", 0);
	const read = readerOf(await opening);
	connection.transient("sess_1", 0, { phase: "start", content: "", index: 0 });
	const tail = 'it ends with "transient":true}';
	connection.event("sess_1", 1, "user.message", { content: tail, run_id: "run_1" });
	connection.transient("sess_1", 1, { phase: "delta", content: "Hel", index: 0 });
	const prompt = { token: "p1", transient: true };
	const shown = { type: "event", event: "prompt.request", session_id: "sess_1", payload: prompt, seq: 1 };
	connection.send({ ...shown, transient: true });
	connection.event("sess_1", 2, "prompt.closed", prompt);
	const frames = await read(3);
	expect(frames.map((frame) => frame.event)).toEqual(["user.message", "prompt.request", "prompt.closed"]);
	await other.client.close();
});

test("a client that requests named transient frames gets these, and no others", async () => {
	const other = new WatchedClient(gateway.url, { transient: ["tool.arguments"] });
	const connection = await gateway.connection();
	const opening = other.client.open({ session_id: "sess_1" });
	await connection.opens("sess_1", "resumed", 0);
	const read = readerOf(await opening);
	const shown = { type: "event", session_id: "sess_1", payload: {}, seq: 0, transient: true };
	for (const event of ["assistant.thinking", "tool.arguments", "tool.arguments.more"]) {
		const { type, ...rest } = shown;
		connection.send({ type, event, ...rest });
	}
	connection.event("sess_1", 1, "user.message", { content: "hi", run_id: "run_1" });
	expect((await read(2)).map((frame) => frame.event)).toEqual(["tool.arguments", "user.message"]);
	await other.client.close();
});

test("a client without transient frames still gets the deletion of a session, as gateways write it", async () => {
	const other = new WatchedClient(gateway.url, { transient: false });
	const connection = await gateway.connection();
	const opening = other.client.open({ session_id: "sess_1" });
	await connection.opens("sess_1", "resumed", 7);
	const read = readerOf(await opening);
	const passing = (event: string): string =>
		`{"type":"event","event":"${event}","session_id":"sess_1","payload":{},"seq":7,"transient":true}`;
	connection.socket.send(passing("session.deleted_by_nobody"));
	connection.socket.send(passing("session.deleted"));
	const deleted = { type: "event", event: "session.deleted", session_id: "sess_1", payload: {}, seq: 7 };
	expect(await read(1)).toEqual([{ ...deleted, transient: true }]);
	await other.client.close();
});

test("two sessions share a connection, each in its own order, and are both joined again", async () => {
	const one = readerOf(await open({ session_id: "sess_1" }, "resumed", 0));
	const two = readerOf(await open({ session_id: "sess_2" }, "resumed", 5));
	peer.event("sess_2", 6);
	peer.event("sess_1", 1);
	peer.event("sess_3", 1);
	peer.event("sess_2", 7);
	expect(seqs(await one(1))).toEqual([1]);
	expect(seqs(await two(2))).toEqual([6, 7]);
	await peer.cut();
	await reconnect();
	const joins = [await peer.opens("sess_1", "resumed", 1), await peer.opens("sess_2", "resumed", 7)];
	expect(joins.map(({ params }) => params)).toEqual([
		{ session_id: "sess_1", after_seq: 1, join: true },
		{ session_id: "sess_2", after_seq: 7, join: true },
	]);
	peer.event("sess_1", 2);
	expect(seqs(await one(1))).toEqual([2]);
});

test("an opening whose response was lost is sent again with the same key", async () => {
	const opening = watched.client.open({ external_key: "discord:1" });
	const first = await peer.request("open_session");
	await peer.cut();
	await reconnect();
	const again = await peer.opens("sess_1", "created", 1);
	expect(again.params).toEqual(first.params);
	peer.event("sess_1", 1, "session.created", {});
	expect(seqs(await readerOf(await opening)(1))).toEqual([1]);
});

test("a session is opened once on a client, and can be opened again after it was left", async () => {
	const session = await open({ session_id: "sess_1" }, "resumed", 3);
	await expect(open({ session_id: "sess_1" }, "resumed", 3)).rejects.toMatchObject({
		code: "already_exists",
	});
	session.close();
	expect(await Array.fromAsync(session.events())).toEqual([]);
	const again = await open({ session_id: "sess_1" }, "resumed", 3);
	peer.event("sess_1", 4);
	for await (const frame of again.events()) {
		expect(frame.seq).toBe(4);
		break;
	}
	await expect(open({ session_id: "sess_1" }, "resumed", 4)).resolves.toMatchObject({ lastSeq: 4 });
});

test("events have one reader", async () => {
	const session = await open({}, "created", 0);
	session.events();
	expect(() => session.events()).toThrow("another reader already reads the events of session sess_1");
});

test.each([
	["seq not available: 3", "data_loss"],
	["session not found: sess_1", "not_found"],
	["forbidden", "permission_denied"],
])("a session that cannot be resumed (%s) ends with that error", async (error, code) => {
	const session = await open({ session_id: "sess_1" }, "resumed", 3);
	await peer.cut();
	await reconnect();
	await peer.refuse("open_session", error);
	await expect(Array.fromAsync(session.events())).rejects.toMatchObject({ code, message: error });
});

test("a session whose history was replaced ends instead of mixing two histories", async () => {
	const session = await open({ session_id: "sess_1" }, "resumed", 8);
	await peer.cut();
	await reconnect();
	await peer.opens("sess_1", "resumed", 2);
	await expect(Array.fromAsync(session.events())).rejects.toMatchObject({ code: "data_loss" });
});

test("a gateway that cannot resume now gets another request later", async () => {
	const read = readerOf(await open({ session_id: "sess_1" }, "resumed", 3));
	await peer.cut();
	await reconnect();
	await peer.refuse("open_session", "draining");
	await peer.closed;
	await reconnect();
	await peer.opens("sess_1", "resumed", 4);
	peer.event("sess_1", 4);
	expect(seqs(await read(1))).toEqual([4]);
});

test("an unread session stops at its limit, does not block others, and continues when it is read", async () => {
	const slow = await open({ session_id: "sess_1" }, "resumed", 0);
	const quick = readerOf(await open({ session_id: "sess_2" }, "resumed", 0));
	for (let seq = 1; seq <= 10_001; seq++) peer.event("sess_1", seq);
	await peer.closed;
	await reconnect();
	await peer.opens("sess_2", "resumed", 1);
	peer.event("sess_2", 1);
	expect(seqs(await quick(1))).toEqual([1]);

	const read = readerOf(slow);
	const queued = await read(10_000);
	expect(queued.at(-1)?.seq).toBe(10_000);
	const next = read(1);
	const joined = await peer.opens("sess_1", "resumed", 10_001);
	expect(joined.params).toEqual({ session_id: "sess_1", after_seq: 10_000, join: true });
	peer.event("sess_1", 10_001);
	expect(seqs(await next)).toEqual([10_001]);
});

test("after many disconnects at any position every frame is read once and in order", async () => {
	const session = await open({ session_id: "sess_1", after_seq: 0 }, "resumed", 0);
	const total = 400;
	const reading = readerOf(session)(total);
	const ids = seededIds(7);
	let written = 0;
	while (written < total) {
		const upTo = Math.min(total, written + (Number.parseInt(ids.uuid().slice(-2), 16) % 20));
		for (let seq = written + 1; seq <= upTo; seq++) peer.event("sess_1", seq);
		await peer.cut();
		await reconnect();
		const joined = await peer.opens("sess_1", "resumed", upTo);
		written = Number(joined.params["after_seq"]);
	}
	expect(seqs(await reading)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
});
