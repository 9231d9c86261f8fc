import { setTimeout as wait } from "node:timers/promises";
import {
	InMemoryTransport,
	isJSONRPCRequest,
	type JSONRPCMessage,
	type Result,
} from "@modelcontextprotocol/client";
import { parseJson } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { McpServer } from "./mcp-server.ts";
import type { ServerTransport } from "./server-connection.ts";

const inputSchema = { type: "object" };
const initialized = {
	protocolVersion: "2025-11-25",
	capabilities: { tools: {} },
	serverInfo: { name: "s", version: "1" },
};
const results: Readonly<Record<string, Result>> = {
	initialize: initialized,
	"tools/list": { tools: [{ name: "echo", inputSchema }] },
};

/**
 * Returns a transport to a server that answers only the methods in `answers`, and rejects any other method. If
 * `answers` is undefined, the server never answers.
 */
function transportTo(answers: Readonly<Record<string, Result>> | undefined) {
	const [own, other] = InMemoryTransport.createLinkedPair();
	other.onmessage = (message) => {
		if (!isJSONRPCRequest(message) || answers === undefined) return;
		const { id, method } = message;
		const result = answers[method];
		const error = { code: -32601, message: "Method not found" };
		void other.send(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error });
	};
	return Object.assign(own, { problem: undefined, log: [] });
}

function serverOf(open: () => Promise<ServerTransport>) {
	const clock = new ManualClock();
	const server = new McpServer({
		name: "s",
		clock,
		log: new MemoryLogger(),
		version: "1",
		open,
		filter: (listed) => ({ offered: listed.map((one) => ({ name: one.name, listed: one })), refused: [] }),
		changed() {},
	});
	return { clock, server };
}

test("the late end of an old connection does not end the new one", async () => {
	const released = Promise.withResolvers<void>();
	const old = transportTo({ initialize: initialized });
	const close = old.close.bind(old);
	const slow = Object.assign(old, {
		close: async () => {
			await released.promise;
			await close();
		},
	});
	const transports: ServerTransport[] = [slow, transportTo(results)];
	const { server, clock } = serverOf(async () => transports.shift() ?? transportTo(undefined));
	const first = server.start();
	while (server.state.phase !== "waiting") await wait(1);
	clock.advance(1_000);
	await server.start();
	expect(server.state).toMatchObject({ phase: "ready", tools: ["echo"] });
	released.resolve();
	await first;
	expect(server.state.phase).toBe("ready");
	await server.close();
});

test("close does not wait for the answer of a server that has just started", { timeout: 2_000 }, async () => {
	const { server } = serverOf(async () => transportTo(undefined));
	const started = server.start();
	await wait(1);
	await server.close();
	await started;
	expect(server.state.phase).toBe("closed");
});

test("a transport that opens after close is closed at once", async () => {
	const opened = Promise.withResolvers<ServerTransport>();
	const { server } = serverOf(() => opened.promise);
	const started = server.start();
	const closed = server.close();
	const late = transportTo(results);
	const ended = Promise.withResolvers<void>();
	late.onclose = () => ended.resolve();
	opened.resolve(late);
	await Promise.all([started, closed, ended.promise]);
	expect(server.state).toMatchObject({ phase: "closed", tools: [] });
});

const needs = {
	timeoutMs: 1_000,
	signal: new AbortController().signal,
	ask: () => Promise.reject(new Error("not asked")),
	reply: () => Promise.reject(new Error("not asked")),
	redact: (text: string) => text,
};

test("an answer that is not JSON is reported as a failure of the server", async () => {
	const transport = transportTo(results);
	const send = transport.send.bind(transport);
	const broken = Object.assign(transport, {
		send: async (message: JSONRPCMessage) => {
			// A remote transport reads the answer to a request while it sends the request.
			if (isJSONRPCRequest(message) && message.method === "tools/call") parseJson("{");
			await send(message);
		},
	});
	const { server } = serverOf(async () => broken);
	await expect(server.call("echo", {}, needs)).rejects.toThrow(
		expect.objectContaining({
			code: "unavailable",
			message: expect.stringMatching(/^the MCP server s failed: /),
		}),
	);
	await server.close();
});

test("invalid arguments for a resource are not reported as a failure of the server", async () => {
	const initialize = { ...initialized, capabilities: { resources: {} } };
	const { server } = serverOf(async () => transportTo({ initialize }));
	await expect(server.call("read_resource", {}, needs)).rejects.toThrow(
		/^invalid arguments: uri: expected string, received undefined$/,
	);
	await server.close();
});
