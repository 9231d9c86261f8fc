import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Failpoints, noFailpoints, parseJson } from "@parley/base";
import { operator } from "@parley/core";
import { ScriptedModel, stuck, TestRuntime } from "@parley/core/testing";
import { expect, test } from "vitest";
import WebSocket, { type ClientOptions } from "ws";
import * as z from "zod";
import { OzzieServer } from "./server.ts";

const pingMs = 20_000;
const closeMs = 2_000;
const caller = { principal: operator, peer: "127.0.0.1", confidential: true };

const Frame = z.looseObject({
	type: z.string(),
	error: z.string().optional(),
	event: z.string().optional(),
	seq: z.number().optional(),
	transient: z.boolean().optional(),
});

/** Opens a server with the operator as the only principal. */
async function open(failpoints: Failpoints = noFailpoints) {
	const t = await TestRuntime.open({ model: new ScriptedModel(stuck("...")), failpoints });
	const ozzie = new OzzieServer({ runtime: t.runtime, clock: t.clock, log: t.log });
	const http = createServer().listen(0, "127.0.0.1");
	await once(http, "listening");
	http.on("upgrade", (request, socket, head) => ozzie.accept(request, socket, head, caller));
	// The cast is safe because the server listens on a port.
	const { port } = http.address() as AddressInfo;
	return {
		t,
		ozzie,
		connect: (options?: ClientOptions, query?: string) => Client.connect(port, options, query),
		async [Symbol.asyncDispose]() {
			const closed = ozzie.close();
			t.clock.advance(closeMs);
			await closed;
			http.close();
			await t[Symbol.asyncDispose]();
		},
	};
}

class Client {
	readonly socket: WebSocket;
	readonly frames: z.infer<typeof Frame>[] = [];
	readonly closed: Promise<number>;
	#arrived = Promise.withResolvers<void>();

	private constructor(socket: WebSocket) {
		this.socket = socket;
		this.closed = new Promise((resolve) => socket.on("close", resolve));
		socket.on("message", (data) => {
			this.frames.push(Frame.parse(parseJson(data.toString())));
			this.#arrived.resolve();
		});
	}

	static async connect(port: number, options: ClientOptions = {}, query = ""): Promise<Client> {
		const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws${query}`, options);
		const client = new Client(socket);
		await once(socket, "open");
		return client;
	}

	request(method: string, params: object = {}): void {
		this.socket.send(JSON.stringify({ type: "req", id: crypto.randomUUID(), method, params }));
	}

	async has(enough: (frames: readonly z.infer<typeof Frame>[]) => boolean): Promise<void> {
		while (!enough(this.frames)) {
			this.#arrived = Promise.withResolvers();
			await this.#arrived.promise;
		}
	}

	get seqs(): number[] {
		return this.frames.flatMap(({ type, transient, seq }) =>
			type === "event" && !transient && seq !== undefined ? [seq] : [],
		);
	}
}

test("binary messages with JSON are requests, and others close the connection with 1003", async () => {
	await using server = await open();
	const client = await server.connect();
	client.socket.send(Buffer.from('{"type":"req","id":"1","method":"list_sessions"}'));
	await client.has((frames) => frames.length === 1);
	expect(client.frames[0]).toEqual({ type: "res", id: "1", ok: true, payload: { sessions: [] } });
	client.socket.send(Buffer.from("[7]"));
	await client.has((frames) => frames.length === 2);
	expect(client.frames[1]?.error).toMatch(/^invalid request/);
	for (const junk of [Buffer.from("{"), Buffer.from([0x22, 0xff, 0x22]), Buffer.alloc(0)]) {
		const other = await server.connect();
		other.socket.send(junk);
		await expect(other.closed).resolves.toBe(1003);
	}
	expect(client.socket.readyState).toBe(WebSocket.OPEN);
});

test("a message above 1 MiB closes the connection with 1009", async () => {
	await using server = await open();
	const client = await server.connect();
	client.socket.send(" ".repeat(1024 * 1024 + 1));
	await expect(client.closed).resolves.toBe(1009);
});

test("a client that does not answer a ping before the next one is disconnected, and others stay", async () => {
	await using server = await open();
	const { clock } = server.t;
	const silent = await server.connect({ autoPong: false });
	const there = await server.connect();
	for (let ping = 0; ping < 2; ping++) {
		const pinged = [silent, there].slice(ping).map(({ socket }) => once(socket, "ping"));
		clock.advance(pingMs);
		await Promise.all(pinged);
		// The gateway answers in order, so it has read the pong when it answers a later ping.
		there.socket.ping();
		await once(there.socket, "pong");
	}
	await expect(silent.closed).resolves.toBe(1006);
	expect(there.socket.readyState).toBe(WebSocket.OPEN);
	there.socket.close();
	await there.closed;
	while (server.ozzie.clients > 0) await server.t.settle();
	expect(clock.pending).toBe(0);
});

test("a slow reader is closed with 1013 and gets the missed events when it reconnects", async () => {
	await using server = await open();
	const { t } = server;
	const session_id = await t.create();
	const slow = await server.connect();
	slow.request("open_session", { session_id, after_seq: 0 });
	await slow.has(() => slow.seqs.length === 1);
	slow.socket.pause();
	const large = "x".repeat(12 * 1024 * 1024);
	for (let n = 0; n < 4; n++) await t.send(session_id, large);
	slow.socket.resume();
	await expect(slow.closed).resolves.toBe(1013);
	expect(slow.seqs.length).toBeLessThan(5);
	const back = await server.connect();
	back.request("open_session", { session_id, after_seq: slow.seqs.at(-1) });
	await back.has((frames) => frames.some(({ event }) => event === "session.closed"));
	const seqs = [...slow.seqs, ...back.seqs];
	expect(seqs).toEqual(seqs.map((_, index) => index + 1));
	const all = [...slow.frames, ...back.frames];
	expect(all.filter(({ event }) => event === "user.message")).toHaveLength(4);
});

test("at the end clients are closed with 1001, those that do not respond are cut, and new clients are refused", async () => {
	await using server = await open();
	const [polite, deaf] = [await server.connect(), await server.connect()];
	deaf.socket.pause();
	const closed = server.ozzie.close();
	await expect(server.connect()).rejects.toThrow("503");
	await expect(polite.closed).resolves.toBe(1001);
	while (server.ozzie.clients > 1) await server.t.settle();
	server.t.clock.advance(closeMs);
	await closed;
	expect(server.ozzie.clients).toBe(0);
	expect(server.t.clock.pending).toBe(0);
	deaf.socket.resume();
	await deaf.closed;
});

test("requests before the end are answered before the close", async () => {
	let gate: PromiseWithResolvers<void> | undefined;
	await using server = await open({ reach: (name) => (name === "store.commit" ? gate?.promise : undefined) });
	const client = await server.connect();
	client.request("open_session");
	await client.has((frames) => frames.length === 2);
	gate = Promise.withResolvers();
	client.request("accept_all_tools");
	client.request("list_sessions");
	// The gateway has read these requests when it answers a later ping.
	client.socket.ping();
	await once(client.socket, "pong");
	const closed = server.ozzie.close();
	await expect(server.connect()).rejects.toThrow("503");
	expect(client.frames).toHaveLength(2);
	gate.resolve();
	gate = undefined;
	await expect(client.closed).resolves.toBe(1001);
	await closed;
	expect(client.frames.slice(2)).toEqual([
		expect.objectContaining({ ok: true, payload: { status: "accepted" } }),
		expect.objectContaining({ ok: true }),
	]);
});

test("an unknown envelope is refused before the upgrade, and a known one changes the frames", async () => {
	await using server = await open();
	await expect(server.connect({}, "?envelope=nested")).rejects.toThrow("400");
	const client = await server.connect({}, "?envelope=both");
	client.request("open_session");
	await client.has((frames) => frames.length === 2);
	expect(client.frames[1]).toMatchObject({
		event: "session.created",
		payload: { payload: {}, source: "agent" },
	});
});
