import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpServerSettings } from "@parley/core";
import { says } from "@parley/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEverything } from "./everything-server.ts";
import { callsOnce, openScene, outcomeOf } from "./scene.ts";

let server: Awaited<ReturnType<typeof startEverything>>;
let url: string;

beforeAll(async () => {
	server = await startEverything();
	url = server.url;
});
afterAll(() => server.stop());

function remote(more: object = {}): McpServerSettings {
	return { name: "remote", url, headers: {}, allowPrivate: true, secrets: [], timeoutMs: 30_000, ...more };
}

test("a remote server from npm is called over streamable HTTP, and its calls count as access to the network", async () => {
	await using s = await openScene([remote()], callsOnce("remote__echo", { message: "hello" }));
	await expect(outcomeOf(s)).resolves.toContain("Echo: hello");
	const rows = await s.t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
	expect(rows.find(({ id }) => id === s.session)?.taint).toBe("UE");
});

test.for([
	[{ allowPrivate: false }, "use an https address, or set allowPrivate of the server"],
	[{ allowPrivate: false, url: "https://127.0.0.1:8443/mcp" }, "is not on the public internet"],
	[
		{ allowPrivate: false, url: "https://localhost:8443/mcp" },
		"use another host, or, if you trust this host, set allowPrivate of the server",
	],
	[{ url: "http://127.0.0.1:8443/mcp" }, "could not be reached"],
] as const)("a server at %j is not used", async ([more, problem]) => {
	await using s = await openScene([remote(more)], [[says("done")]]);
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	const [state] = s.t.runtime.mcp.states;
	expect(state?.phase).toBe("waiting");
	expect(state?.problem).toContain(problem);
});

test("a redirect to another origin is not followed, and an endless answer is cut", async () => {
	let reached = 0;
	const place = (listener: Parameters<typeof createServer>[1]): Server =>
		createServer({}, listener).listen(0, "127.0.0.1");
	const portOf = async (one: Server): Promise<number> => {
		if (!one.listening) await once(one, "listening");
		return (one.address() as AddressInfo).port;
	};
	const other = place((_request, response) => {
		reached += 1;
		response.end();
	});
	const target = `http://127.0.0.1:${await portOf(other)}/`;
	const redirecting = place((_request, response) => response.writeHead(307, { location: target }).end());
	const endless = place((_request, response) => {
		response.writeHead(200, { "content-type": "application/json" });
		const more = (): void => {
			while (response.write("x".repeat(1024 * 1024)));
			response.once("drain", more);
		};
		more();
	});
	try {
		for (const one of [redirecting, endless]) {
			const settings = remote({ url: `http://127.0.0.1:${await portOf(one)}/mcp` });
			await using s = await openScene([settings], [[says("done")]]);
			await s.t.send(s.session, "go");
			await s.log.next("assistant.message");
			expect(s.t.runtime.mcp.states[0]).toMatchObject({ phase: "waiting", tools: [] });
		}
		expect(reached).toBe(0);
	} finally {
		for (const one of [other, redirecting, endless]) {
			one.closeAllConnections();
			one.close();
		}
	}
});

const ping = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: "x" } });
const listOf = (values: number): string =>
	JSON.stringify({ jsonrpc: "2.0", id: 0, result: { list: Array.from({ length: values }, () => 1) } });

test.for([
	[
		"an event without an end",
		"text/event-stream",
		`data: ${"x".repeat(9 * 1024 * 1024)}`,
		"a message of more than",
	],
	["many messages", "text/event-stream", `data: ${ping}\r\n\r\n`.repeat(2_100), "too many messages"],
	[
		"many messages in an answer",
		"application/json",
		`[${`${ping},`.repeat(2_100)}${ping}]`,
		"too many messages",
	],
	["many values in an event", "text/event-stream", `data: ${listOf(200_000)}\n\n`, "more than 200000 values"],
	["many values in an answer", "application/json", listOf(200_000), "more than 200000 values"],
	["a long answer", "application/json", `"${"x".repeat(9 * 1024 * 1024)}"`, "a message of more than"],
] as const)("a server that sends %s is closed with the reason", async ([, type, body, problem]) => {
	const flooding = createServer((_request, response) => {
		response.writeHead(200, { "content-type": type });
		// An event stream stays open, so the client cannot read it to its end.
		if (type === "text/event-stream") response.write(body);
		else response.end(body);
	}).listen(0, "127.0.0.1");
	await once(flooding, "listening");
	const { port } = flooding.address() as AddressInfo;
	try {
		await using s = await openScene([remote({ url: `http://127.0.0.1:${port}/mcp` })], [[says("done")]]);
		await s.t.send(s.session, "go");
		await s.log.next("assistant.message");
		const [state] = s.t.runtime.mcp.states;
		expect(state).toMatchObject({ phase: "waiting", tools: [] });
		expect(state?.problem).toContain(problem);
	} finally {
		flooding.closeAllConnections();
		flooding.close();
	}
});
