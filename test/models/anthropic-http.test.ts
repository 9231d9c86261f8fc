import { getEventListeners, once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { silentLogger, systemClock } from "@parley/base";
import { createAnthropicModel, type ModelEvent, type ModelRequest, ModelTable } from "@parley/core";
import { afterEach, expect, test, vi } from "vitest";

const request: ModelRequest = {
	model: "claude-x",
	system: "",
	messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
	tools: [],
};

const frame = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const beginning = [
	{ type: "message_start", message: { model: "claude-x", usage: { input_tokens: 1, output_tokens: 1 } } },
	{ type: "content_block_start", index: 0, content_block: { type: "text", text: "hi" } },
]
	.map(frame)
	.join("");
const rest = [
	{ type: "content_block_stop", index: 0 },
	{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
	{ type: "message_stop" },
]
	.map(frame)
	.join("");

const servers: Server[] = [];

afterEach(async () => {
	for (const server of servers.splice(0)) {
		server.closeAllConnections();
		server.close();
		await once(server, "close");
	}
});

async function serve(listener: RequestListener) {
	const sockets: Socket[] = [];
	const server = createServer((incoming, response) => {
		sockets.push(incoming.socket);
		// The server must read the request, although the test ignores its content.
		incoming.resume().on("end", () => listener(incoming, response));
	});
	servers.push(server);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a TCP port.
	const { port } = server.address() as AddressInfo;
	return { sockets, url: `http://127.0.0.1:${port}` };
}

function modelAt(baseUrl: string) {
	const table = new ModelTable([]);
	return createAnthropicModel({
		...{ apiKey: "sk-1", baseUrl, table, defaultModel: "claude-x" },
		...{ clock: systemClock, log: silentLogger },
	});
}

const never = new AbortController().signal;
const all = (url: string, signal = never) => Array.fromAsync(modelAt(url).stream(request, signal));

const streamHead = { "content-type": "text/event-stream" };

test("replies that follow each other share connections", async () => {
	const { url, sockets } = await serve((_request, response) => {
		response.writeHead(200, streamHead).end(beginning + rest);
	});
	const model = modelAt(url);
	for (let time = 0; time < 8; time++) {
		const events = await Array.fromAsync(model.stream(request, never));
		expect(events.at(-1)).toMatchObject({ type: "end", stop: "end_turn" });
	}
	expect(sockets).toHaveLength(8);
	expect(new Set(sockets).size).toBeLessThanOrEqual(2);
});

test("a redirect is not followed, so that no other server gets the key", async () => {
	const elsewhere = await serve((_request, response) => response.end());
	const { url } = await serve((_request, response) => {
		response.writeHead(307, { location: `${elsewhere.url}/v1/messages?token=x` }).end();
	});
	const host = new URL(url).host;
	await expect(all(url)).rejects.toMatchObject({
		fault: "rejected",
		message: `${host} answered with a redirect (307), which is not followed: check the base URL`,
	});
	expect(elsewhere.sockets).toEqual([]);
});

test("a page instead of a reply is reported immediately as a wrong base URL", async () => {
	const { url } = await serve((_request, response) => {
		response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<h1>Welcome</h1>");
	});
	await expect(all(url)).rejects.toMatchObject({
		fault: "rejected",
		message: `${new URL(url).host} does not answer like a Messages API: check the base URL`,
	});
});

test("an address without a listener is reported as unreachable", async () => {
	const { url } = await serve(() => undefined);
	const [server] = servers.splice(0);
	server?.close();
	await expect(all(url)).rejects.toMatchObject({
		fault: "unreachable",
		message: `cannot reach ${new URL(url).host} (ECONNREFUSED): check the network and the base URL`,
	});
});

test("a connection that is reset before the answer interrupts the reply", async () => {
	const { url } = await serve((incoming) => incoming.socket.resetAndDestroy());
	await expect(all(url)).rejects.toMatchObject({ fault: "interrupted" });
});

test.each([
	["is reset", (socket: Socket) => socket.resetAndDestroy()],
	["ends", (socket: Socket) => socket.end()],
])("a connection that %s in the middle of the answer interrupts the reply", async (_name, end) => {
	const { url } = await serve((incoming, response) => {
		response.writeHead(200, streamHead).write(beginning, () => end(incoming.socket));
	});
	await expect(all(url)).rejects.toMatchObject({ fault: "interrupted" });
});

test("a server that does not speak HTTP interrupts the reply", async () => {
	const { url } = await serve((incoming) => incoming.socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
	await expect(all(url)).rejects.toMatchObject({ fault: "interrupted" });
});

test("a call that is cancelled closes its connection and leaves no listener", async () => {
	const closed = Promise.withResolvers<void>();
	const { url } = await serve((incoming, response) => {
		incoming.socket.on("close", closed.resolve);
		response.writeHead(200, streamHead).write(beginning);
	});
	const controller = new AbortController();
	const seen: ModelEvent[] = [];
	const run = (async () => {
		for await (const event of modelAt(url).stream(request, controller.signal)) {
			seen.push(event);
			if (event.type === "text") controller.abort();
		}
	})();
	await expect(run).rejects.toMatchObject({ code: "cancelled" });
	expect(seen.at(-1)).toEqual({ type: "text", text: "hi" });
	await closed.promise;
	expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("a consumer that stops reading closes the connection", async () => {
	const closed = Promise.withResolvers<void>();
	const { url } = await serve((incoming, response) => {
		incoming.socket.on("close", closed.resolve);
		response.writeHead(200, streamHead).write(beginning);
	});
	const { signal } = new AbortController();
	for await (const _ of modelAt(url).stream(request, signal)) break;
	await closed.promise;
	expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("no response of a provider causes output on the console", async () => {
	const printed = (["log", "info", "warn", "error", "debug"] as const).map((level) =>
		vi.spyOn(console, level),
	);
	const { url } = await serve((_request, response) => {
		response.writeHead(200, streamHead).end(`${beginning}event: message_delta\ndata: {oops\n\n`);
	});
	await expect(all(url)).rejects.toMatchObject({ fault: "interrupted" });
	for (const spy of printed) {
		expect(spy).not.toHaveBeenCalled();
		spy.mockRestore();
	}
});
