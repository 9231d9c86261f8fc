import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Admission } from "./admission.ts";
import { createListener, type Listener, type ListenerOptions } from "./listener.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

function echoServer(): Server {
	return createServer(async (request, response) => {
		response.end(`${request.method} ${request.url} ${await text(request)}`);
	});
}

async function open(options: Partial<ListenerOptions> = {}) {
	const clock = new ManualClock();
	const log = new MemoryLogger();
	const http = echoServer();
	const listener = await createListener({
		host: "127.0.0.1",
		port: 0,
		clock,
		log,
		admission: new Admission(),
		isOwn: async () => false,
		onHttp: (socket) => http.emit("connection", socket),
		onHttp2: (socket) => socket.destroy(),
		...options,
	});
	return { clock, log, listener, [Symbol.asyncDispose]: () => closeAtOnce(clock, listener) };
}

async function closeAtOnce(clock: ManualClock, listener: Listener): Promise<void> {
	const closed = listener.close(0);
	clock.advance(0);
	await closed;
}

function call({ listener }: { listener: Listener }): Socket {
	const { host, port } = listener.address();
	return connect({ host, port, noDelay: true });
}

test("the address has the real port, and IPv6 in brackets", async () => {
	await using ipv4 = await open();
	const { port } = ipv4.listener.address();
	expect(port).toBeGreaterThan(0);
	expect(ipv4.listener.address()).toEqual({ host: "127.0.0.1", port, url: `http://127.0.0.1:${port}` });
	await using ipv6 = await open({ host: "::1" });
	expect(ipv6.listener.address().url).toBe(`http://[::1]:${ipv6.listener.address().port}`);
});

test("HTTP is served over IPv4 and IPv6, kept alive, with bodies larger than the inspected bytes", async () => {
	await using ipv4 = await open();
	await using ipv6 = await open({ host: "::1" });
	const body = "x".repeat(1_000_000);
	for (const url of [ipv4.listener.address().url, ipv6.listener.address().url]) {
		for (const path of ["/one", "/two"]) {
			const response = await fetch(url + path, { method: "POST", body });
			expect(await response.text()).toBe(`POST ${path} ${body}`);
		}
	}
});

test("requests that arrive in one piece, or byte by byte from a client that has closed its half, are answered", async () => {
	await using server = await open();
	const pipelined = call(server);
	pipelined.end(
		"GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
	);
	const answers = await text(pipelined);
	expect(answers).toContain("GET /1 ");
	expect(answers).toContain("POST /2 hi");

	const slow = call(server);
	for (const byte of "PUT /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") slow.write(byte);
	slow.end();
	expect(await text(slow)).toContain("PUT /slow ");
});

test("an HTTP/2 connection is passed on unread, also if its preface arrives in single bytes", async () => {
	const { promise: accepted, resolve } = Promise.withResolvers<Socket>();
	await using server = await open({ onHttp2: resolve });
	const client = call(server);
	for (const byte of PREFACE) client.write(byte);
	client.end("rest");
	const socket = await accepted;
	expect(await text(socket)).toBe(`${PREFACE}rest`);
	socket.end();
});

test("a refused HTTP/2 client that does not close is disconnected after five seconds", async () => {
	await using server = await open();
	const { host, port } = server.listener.address();
	const client = connect({ host, port, allowHalfOpen: true });
	client.on("error", () => undefined);
	client.write(PREFACE);
	client.resume();
	await once(client, "end");
	server.clock.advance(5_000);
	// The close resolves before the end of the grace period, because no connection is open.
	await server.listener.close(60_000);
	expect(server.clock.pending).toBe(0);
	client.destroy();
});

test("a connection that is silent for five seconds is closed, and other connections are not", async () => {
	await using server = await open();
	const silent = call(server);
	const other = call(server);
	await once(silent, "connect");
	other.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
	// Connections are accepted in order. When the second connection has its answer, the server already waits for bytes
	// from the first connection.
	await once(other, "data");
	server.clock.advance(5_000);
	await once(silent, "close");
	other.write("GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
	expect(await text(other)).toContain("GET /2 ");
});

test("a connection beyond the limit is served when another is authenticated", async () => {
	const admission = new Admission({ perPeer: 1 });
	const connections: Socket[] = [];
	const http = echoServer();
	await using server = await open({
		admission,
		onHttp: (socket) => {
			connections.push(socket);
			http.emit("connection", socket);
		},
	});
	const first = call(server);
	first.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
	await once(first, "data");
	const second = call(server);
	second.write("GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
	first.write("GET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
	await once(first, "data");
	expect(connections).toHaveLength(1);
	for (const socket of [...connections]) admission.settled(socket);
	expect(await text(second)).toContain("GET /2 ");
	expect(connections).toHaveLength(2);
});

test("a handover that fails closes that connection and is logged", async () => {
	await using server = await open({
		onHttp: () => {
			throw new Error("no room");
		},
	});
	const client = call(server);
	client.on("error", () => undefined);
	client.write("GET / HTTP/1.1\r\n\r\n");
	await once(client, "close");
	expect(server.log.records).toMatchObject([
		{
			level: "error",
			message: "a connection could not be passed to its server",
			fields: { error: new Error("no room") },
		},
	]);
});

test("closing ends silent connections at once and the others at their end or after the grace period", async () => {
	await using server = await open();
	const silent = call(server);
	const [polite, stubborn] = [call(server), call(server)];
	for (const client of [polite, stubborn]) {
		client.write("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
		await once(client, "data");
	}
	const closed = server.listener.close(1_000);
	await once(silent.resume(), "close");
	polite.write("GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
	expect(await text(polite)).toContain("GET /2 ");
	expect(stubborn.destroyed).toBe(false);
	server.clock.advance(1_000);
	await once(stubborn.resume(), "close");
	await closed;
	expect(server.clock.pending).toBe(0);
});

test("the error of a busy port explains how to use a free one", async () => {
	await using first = await open();
	const { host, port } = first.listener.address();
	await expect(open({ host, port })).rejects.toMatchObject({
		name: "ParleyError",
		code: "failed_precondition",
		message: expect.stringMatching(
			new RegExp(
				`${host}:${port}: another program, perhaps another Parley, .*--listen 127\\.0\\.0\\.1:0 to get a free port`,
			),
		),
	});
});

test("the error for an address of another machine explains the cause", async () => {
	// No machine has an address of TEST-NET-1: RFC 5737.
	await expect(open({ host: "192.0.2.1" })).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringContaining("this machine has no address 192.0.2.1"),
	});
});
