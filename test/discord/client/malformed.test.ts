import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { Watch } from "../../watch.ts";
import { WatchedClient } from "./watched-client.ts";

/**
 * Starts a simulated gateway, which refuses the first `refused` connections. Tests send further frames over the
 * connection from `greet`.
 */
async function place({ refused = 0 } = {}) {
	let attempts = 0;
	const server = createServer((_request, response) => {
		const session_start_limit = { total: 1000, remaining: 999, reset_after: 1000, max_concurrency: 1 };
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify({ url, shards: 1, session_start_limit }));
	});
	const sockets = new WebSocketServer({
		server,
		verifyClient: (_info, accept: (isAccepted: boolean, status?: number) => void) => {
			attempts += 1;
			accept(attempts > refused, 503);
		},
	});
	const connected = Promise.withResolvers<WebSocket>();
	sockets.on("connection", (socket) => {
		socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
		socket.once("message", () => connected.resolve(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	// The cast is safe because the server listens on a TCP port.
	const { port } = server.address() as AddressInfo;
	const url = `ws://127.0.0.1:${port}`;
	onTestFinished(() => {
		for (const socket of sockets.clients) socket.terminate();
		server.closeAllConnections();
		server.close();
	});
	const greet = async (): Promise<WebSocket> => {
		const socket = await connected.promise;
		const ids = { user: { id: "11" }, application: { id: "22" } };
		const d = { session_id: "S", resume_gateway_url: url, ...ids };
		socket.send(JSON.stringify({ op: 0, t: "READY", s: 1, d }));
		return socket;
	};
	const apiUrl = `http://127.0.0.1:${port}/api`;
	return { apiUrl, connected: connected.promise, greet, attempts: () => attempts };
}

test("a refused first connection is retried", async () => {
	const { apiUrl, greet, attempts } = await place({ refused: 1 });
	const client = new WatchedClient({ token: "token", apiUrl });
	const ready = client.connect();
	await greet();
	await ready;
	expect(client.links.map(({ state }) => state)).toEqual(["lost", "ready"]);
	expect(attempts()).toBe(2);
});

test.each(["READY", "RESUMED"])("the connection is lost if %s leaves the bot's ids unknown", async (t) => {
	const { apiUrl, connected } = await place();
	const client = new WatchedClient({ token: "token", apiUrl });
	const ended = client.connect();
	const d = { session_id: "S", resume_gateway_url: "ws://127.0.0.1:1" };
	(await connected).send(JSON.stringify({ op: 0, t, s: 1, d }));
	await client.reaches("lost", 1);
	const detail = "Discord connected the bot without the bot's ids: restart the connector";
	expect(client.links).toEqual([{ state: "lost", detail }]);
	await client.port.close();
	await ended;
});

test("malformed events and events with missing fields do not end the process or the connection", async () => {
	const { apiUrl, greet } = await place();
	const client = new WatchedClient({ token: "token", apiUrl });
	const ready = client.connect();
	const socket = await greet();
	await ready;
	const frames = [
		...["", "{", "null", "7", "[]", '"text"', "{}", '{"op":99}', '{"op":"0"}', '{"op":0}'],
		...['{"op":0,"t":"MESSAGE_CREATE","s":2}', '{"op":0,"t":null,"s":3,"d":{}}'],
		...["INTERACTION_CREATE", "MESSAGE_CREATE", "THREAD_CREATE", "GUILD_CREATE", "GUILD_DELETE"].map(
			(t, index) => JSON.stringify({ op: 0, t, s: 4 + index, d: null }),
		),
	];
	for (const frame of frames) socket.send(frame);
	socket.send(Buffer.from([0, 1, 2]));
	socket.send(JSON.stringify({ op: 0, t: "MESSAGE_CREATE", s: 20, d: { content: "still here" } }));
	await client.receives("still here");
	expect(client.links).toHaveLength(1);
	expect(client.events.map(({ t }) => t)).toEqual([
		...["READY", "INTERACTION_CREATE", "MESSAGE_CREATE", "THREAD_CREATE", "GUILD_CREATE"],
		...["GUILD_DELETE", "MESSAGE_CREATE"],
	]);
	expect(client.log.records.filter(({ level }) => level === "warn")).not.toEqual([]);
});

test("a guarded process reports an error inside discord.js and continues", async () => {
	const { apiUrl, greet } = await place();
	const program = new URL("guarded-client.ts", import.meta.url).pathname;
	const child = spawn(process.execPath, [program, apiUrl], { stdio: ["ignore", "pipe", "pipe"] });
	onTestFinished(() => void child.kill("SIGKILL"));
	const watch = new Watch();
	const output = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (text: string) => {
			output[name] += text;
			watch.notify();
		});
	}
	const socket = await greet();
	// discord.js fails when it reads the missing `d` of the first frame, and the interval in `d` of the second frame.
	for (const frame of [{ op: 9 }, { op: 10 }]) socket.send(JSON.stringify(frame));
	await watch.until("both are reported", () => output.stderr.split("failed on a payload").length > 2);
	socket.send(JSON.stringify({ op: 0, t: "MESSAGE_CREATE", s: 2, d: { content: "still here" } }));
	await watch.until("the later event has arrived", () => output.stdout.includes("MESSAGE_CREATE"));
	expect(child.exitCode).toBeNull();
});
