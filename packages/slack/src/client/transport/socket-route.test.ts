import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocket } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { SocketRoute, usesProxies } from "./socket-line.ts";

/** Constant of the WebSocket handshake: https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2 */
const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

test("sockets use the same proxies as Node, and only for the same addresses", () => {
	expect(usesProxies({ NODE_USE_ENV_PROXY: "1" })).toBe(true);
	expect(usesProxies({ NODE_USE_ENV_PROXY: "0", HTTPS_PROXY: "http://127.0.0.1:1" })).toBe(false);
	expect(usesProxies({ HTTPS_PROXY: "http://127.0.0.1:1" })).toBe(false);
});

test("a socket whose peer does not respond is closed anyway", async () => {
	const server = createServer().listen(0, "127.0.0.1");
	onTestFinished(() => void server.close());
	await once(server, "listening");
	const upgraded = once(server, "upgrade");
	// `address()` returns an address with a port, because the server listens on TCP.
	const { port } = server.address() as AddressInfo;
	const route = new SocketRoute(true);
	const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { dispatcher: route.dispatcher });
	const [{ headers }, stream]: [{ headers: Record<string, string> }, Duplex] = (await upgraded) as never;
	const accepted = createHash("sha1").update(`${headers["sec-websocket-key"]}${guid}`).digest("base64");
	const answer = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: upgrade"];
	stream.write(`${answer.join("\r\n")}\r\nsec-websocket-accept: ${accepted}\r\n\r\n`);
	await once(socket, "open");
	const ended = once(stream.resume(), "end");
	socket.close();
	route.end();
	expect(await ended).toEqual([]);
});
