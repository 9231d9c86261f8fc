import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, setGlobalProxyFromEnv } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { createHttpFetch } from "./http-fetch.ts";

async function addressOf(server: Server): Promise<string> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// A server that listens on a port of its own has such an address.
	const { port } = server.address() as AddressInfo;
	return `127.0.0.1:${port}`;
}

/** A server on a loopback port, and what it was asked. */
async function serve(answer: RequestListener) {
	const asked: { request: IncomingMessage; body: string }[] = [];
	const server = createServer(async (request, response) => {
		asked.push({ request, body: await text(request) });
		answer(request, response);
	});
	onTestFinished(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return { asked, address: await addressOf(server) };
}

const post = (body: string): RequestInit => ({ method: "POST", headers: { "x-a": "1" }, body });
const bodyOf = async (response: Response): Promise<string> =>
	Buffer.concat(await Array.fromAsync(response.body ?? [])).toString();

test("a request with its body, and the answer with its own", async () => {
	const { asked, address } = await serve((_request, response) => {
		response.writeHead(529, "Overloaded", { "retry-after": "3" }).end("wäit");
	});
	const httpFetch = createHttpFetch(new ManualClock());
	const response = await httpFetch(`http://${address}/v1/messages`, post('{"ä":1}'));
	expect(response).toMatchObject({ status: 529, statusText: "Overloaded", ok: false });
	expect(response.headers.get("retry-after")).toBe("3");
	expect(await bodyOf(response)).toBe("wäit");
	expect(asked[0]?.request).toMatchObject({
		method: "POST",
		url: "/v1/messages",
		headers: { "x-a": "1", "content-length": "8", "accept-encoding": "identity" },
	});
	expect(asked[0]?.body).toBe('{"ä":1}');
});

test("a connection is kept for the next request", async () => {
	const { asked, address } = await serve((_request, response) => response.end("fine"));
	const httpFetch = createHttpFetch(new ManualClock());
	for (const said of ["one", "two", "three"]) {
		expect(await bodyOf(await httpFetch(`http://${address}/`, post(said)))).toBe("fine");
	}
	expect(new Set(asked.map(({ request }) => request.socket)).size).toBe(1);
});

test("a connection that is reset fails, and nobody is asked twice", async () => {
	const { asked, address } = await serve(({ socket }) => socket.resetAndDestroy());
	const asking = createHttpFetch(new ManualClock())(`http://${address}/`, post("one"));
	await expect(asking).rejects.toMatchObject({ code: "ECONNRESET" });
	expect(asked).toHaveLength(1);
});

test("a host that takes the connection and says no word of TLS is given up after ten seconds", async () => {
	const clock = new ManualClock();
	const server = createRawServer();
	onTestFinished(() => void server.close());
	const connected = once(server, "connection");
	const asking = createHttpFetch(clock)(`https://${await addressOf(server)}/`, post("one"));
	const refused = expect(asking).rejects.toMatchObject({ code: "ETIMEDOUT" });
	await connected;
	clock.advance(9_999);
	expect(clock.pending).toBe(1);
	clock.advance(1);
	await refused;
	expect(clock.pending).toBe(0);
});

test("no timer is left of a connection that came, and an abort ends what is under way", async () => {
	const { address } = await serve((_request, response) => {
		response.writeHead(200).write("begun");
	});
	const clock = new ManualClock();
	const controller = new AbortController();
	const { signal } = controller;
	const response = await createHttpFetch(clock)(`http://${address}/`, { ...post("one"), signal });
	expect(clock.pending).toBe(0);
	controller.abort();
	await expect(bodyOf(response)).rejects.toThrow("aborted");
});

/** A proxy that lets a tunnel begin, or not, and then says nothing. */
async function silentProxy(answer: string): Promise<{ readonly connected: Promise<unknown> }> {
	const proxy = createServer();
	const sockets: Duplex[] = [];
	proxy.on("connect", (_request, socket) => {
		sockets.push(socket);
		socket.write(answer);
	});
	const connected = once(proxy, "connect");
	onTestFinished(setGlobalProxyFromEnv({ https_proxy: `http://${await addressOf(proxy)}` }));
	onTestFinished(() => {
		for (const socket of sockets) socket.destroy();
		proxy.close();
	});
	return { connected };
}

test.each([
	["does not answer", ""],
	["lets it begin, and there is no TLS", "HTTP/1.1 200 Connection Established\r\n\r\n"],
])("behind a proxy that %s an abort and ten seconds end what is under way", async (_what, answer) => {
	const { connected } = await silentProxy(answer);
	const clock = new ManualClock();
	const httpFetch = createHttpFetch(clock);
	const controller = new AbortController();
	const { signal } = controller;
	const aborted = expect(httpFetch("https://model.invalid/", { ...post("one"), signal })).rejects.toThrow(
		"abort",
	);
	await connected;
	controller.abort();
	await aborted;
	const late = expect(httpFetch("https://model.invalid/", post("two"))).rejects.toMatchObject({
		code: "ETIMEDOUT",
	});
	clock.advance(10_000);
	await late;
});

test("an answer that is none of HTTP's fails", async () => {
	const { address } = await serve(({ socket }) =>
		socket.end("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
	);
	const odd = await serve((_request, response) => response.writeHead(999).end());
	const httpFetch = createHttpFetch(new ManualClock());
	await expect(httpFetch(`http://${address}/`, post("one"))).rejects.toMatchObject({ code: "ECONNRESET" });
	await expect(httpFetch(`http://${odd.address}/`, post("one"))).rejects.toThrow(
		"the status 999 is none of HTTP's",
	);
});

test("the proxy that Node is to use is used", async () => {
	const { asked, address } = await serve((_request, response) => response.end("from the proxy"));
	onTestFinished(setGlobalProxyFromEnv({ http_proxy: `http://${address}` }));
	const httpFetch = createHttpFetch(new ManualClock());
	expect(await bodyOf(await httpFetch("http://model.invalid/v1/messages", post("one")))).toBe(
		"from the proxy",
	);
	expect(asked[0]?.request.url).toBe("http://model.invalid/v1/messages");
});
