import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { parseJson, systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { McpBridge } from "./mcp-bridge.ts";

const ready = "notifications/initialized";

/**
 * Starts a gateway that responds to JSON-RPC requests with these status codes, in order, and then always with
 * 200.
 */
async function openGateway(statuses: readonly number[]) {
	const seen: string[] = [];
	const left = [...statuses];
	const server = createServer(async (request, response) => {
		if (request.method === "DELETE") return void response.writeHead(204).end();
		const { method, id } = Object(await json(request));
		seen.push(String(method));
		if (method === ready) return void response.writeHead(202).end();
		const status = left.shift() ?? 200;
		const error = { code: -32_000, message: "the gateway is stopping" };
		const body = { jsonrpc: "2.0", id, ...(status === 200 ? { result: {} } : { error }) };
		const headers = { "content-type": "application/json", "mcp-session-id": `s${seen.length}` };
		response.writeHead(status, headers).end(JSON.stringify(body));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	const port = typeof address === "object" ? address?.port : undefined;
	const answers: unknown[] = [];
	const arrived = { next: Promise.withResolvers<void>() };
	const bridge = new McpBridge({
		clock: systemClock,
		find: async () => ({ url: `http://127.0.0.1:${port}` }),
		write: (line) => {
			answers.push(parseJson(line));
			arrived.next.resolve();
		},
	});
	return {
		seen,
		async ask(id: number, method: string): Promise<unknown> {
			arrived.next = Promise.withResolvers();
			await bridge.receive(JSON.stringify({ jsonrpc: "2.0", id, method }));
			await arrived.next.promise;
			return answers.at(-1);
		},
		async [Symbol.asyncDispose]() {
			await bridge.close();
			server.closeAllConnections();
			server.close();
		},
	};
}

test("if the gateway refuses to reopen a session, the request fails, and the next request opens a session", async () => {
	await using gateway = await openGateway([200, 404, 503]);
	expect(await gateway.ask(1, "initialize")).toMatchObject({ id: 1, result: {} });
	expect(await gateway.ask(2, "ping")).toMatchObject({
		id: 2,
		error: { message: "the gateway is stopping" },
	});
	expect(await gateway.ask(3, "ping")).toMatchObject({ id: 3, result: {} });
	expect(gateway.seen).toEqual(["initialize", "ping", "initialize", "initialize", ready, "ping"]);
});
