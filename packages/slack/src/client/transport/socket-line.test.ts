import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { WebSocket } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { PingWatch, SocketLine } from "./socket-line.ts";

/** Constant of the WebSocket handshake: https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2 */
const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Starts a server that completes the handshake only when `accept` is called. */
async function silentServer() {
	const server = createServer().listen(0, "127.0.0.1");
	onTestFinished(() => void server.close());
	await once(server, "listening");
	const upgraded = Promise.withResolvers<[IncomingMessage, Duplex]>();
	server.on("upgrade", (request, stream) => {
		stream.on("error", () => undefined);
		upgraded.resolve([request, stream]);
	});
	// `address()` returns an address with a port, because the server listens on TCP.
	const { port } = server.address() as AddressInfo;
	const accept = async (): Promise<Duplex> => {
		const [{ headers }, stream] = await upgraded.promise;
		const accepted = createHash("sha1").update(`${headers["sec-websocket-key"]}${guid}`).digest("base64");
		const answer = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: upgrade"];
		stream.write(`${answer.join("\r\n")}\r\nsec-websocket-accept: ${accepted}\r\n\r\n`);
		return stream;
	};
	return { url: `ws://127.0.0.1:${port}/`, upgraded: upgraded.promise, accept };
}

test("a line is closed while its socket is being opened", async () => {
	const server = await silentServer();
	const clock = new ManualClock();
	const line = new SocketLine({
		clock,
		log: new MemoryLogger(),
		address: async () => server.url,
		receive: async () => undefined,
		greeted: () => undefined,
	});
	const stop = new AbortController();
	const refused = expect(line.open(stop.signal)).rejects.toThrow("the connector is stopping");
	const [, stream] = await server.upgraded;
	const ended = once(stream.resume(), "end");
	stop.abort(new Error("the connector is stopping"));
	for (let turn = 0; turn < 5; turn++) await tick();
	clock.advance(1000);
	await refused;
	await line.closed;
	await ended;
	expect(clock.pending).toBe(0);
});

test("a socket whose peer does not answer a ping is closed, and others are not", async () => {
	const server = await silentServer();
	const socket = new WebSocket(server.url);
	const stream = await server.accept();
	await once(socket, "open");
	const clock = new ManualClock();
	let deaths = 0;
	const watch = new PingWatch(socket, clock, () => {
		deaths += 1;
	});
	watch.start();
	/**
	 * Sends a pong and a text message, and resolves when the message has arrived:
	 * https://www.rfc-editor.org/rfc/rfc6455#section-5.2
	 */
	const pong = async (): Promise<void> => {
		const echoed = once(socket, "message");
		stream.write(Buffer.from([0x8a, 0, 0x81, 1, 0x78]));
		await echoed;
	};
	for (let n = 0; n < 8; n++) {
		clock.advance(2500);
		await pong();
	}
	expect(deaths).toBe(0);
	clock.advance(5000);
	expect(deaths).toBe(0);
	clock.advance(2500);
	expect([deaths, clock.pending]).toEqual([1, 0]);
	stream.destroy();
});
