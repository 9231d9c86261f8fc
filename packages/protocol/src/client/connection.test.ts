import { afterEach, expect, test } from "vitest";
import { ScriptedGateway } from "../testing/scripted-gateway.ts";
import { WatchedClient } from "../testing/watched-client.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
	for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function listen(status?: number, autoPong?: boolean): Promise<ScriptedGateway> {
	const gateway = await ScriptedGateway.listen(status, autoPong);
	cleanups.push(() => gateway.close());
	return gateway;
}

function connect(url: string, options: ConstructorParameters<typeof WatchedClient>[1] = {}): WatchedClient {
	const watched = new WatchedClient(url, options);
	cleanups.push(() => watched.client.close());
	return watched;
}

async function deadUrl(): Promise<string> {
	const gateway = await ScriptedGateway.listen();
	const { url } = gateway;
	await gateway.close();
	return url;
}

test("the token is sent in the header, and the states show an opening, open and closed connection", async () => {
	const gateway = await listen();
	const watched = connect(gateway.url, { token: "gw_secret" });
	expect(await watched.until("connecting")).toBe(`${gateway.url.replace("http", "ws")}/api/ws`);
	await watched.until("open");
	const peer = await gateway.connection();
	expect(peer.authorization).toBe("Bearer gw_secret");
	await watched.client.close();
	expect(await peer.closed).toBe(1000);
	expect(await watched.until("closed")).toBe("the client was closed");
});

test("a token that is invalid in a header is refused and not repeated", () => {
	expect(() => connect("http://127.0.0.1:1", { token: "a\nb" })).toThrow(
		/^the token is empty or contains invalid characters/,
	);
});

test.each([
	[401, "unauthenticated", /requires a valid token/],
	[403, "permission_denied", /refuses this client/],
	[421, "failed_precondition", /does not accept this host name/],
])("a handshake refused with %i is final and rejects everything", async (status, code, words) => {
	const watched = connect((await listen(status)).url);
	const waiting = watched.client.request("list_sessions", {});
	await expect(waiting).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
	await expect(watched.client.open({})).rejects.toMatchObject({ code });
	expect(await watched.until("closed")).toMatch(words);
});

test("another refusal is retried", async () => {
	const watched = connect((await listen(503)).url);
	expect(await watched.retry()).toMatch(/answered HTTP 503; retrying in \d+ ms$/);
	expect(await watched.until("lost")).toContain("answered HTTP 503");
});

test("the events of a session end with the refusal when the token becomes invalid", async () => {
	const gateway = await listen();
	const watched = connect(gateway.url);
	const opening = watched.client.open({});
	const peer = await gateway.connection();
	await peer.opens("sess_1", "created", 0);
	const events = Array.fromAsync((await opening).events());
	gateway.status = 401;
	await peer.cut();
	await watched.retry();
	await expect(events).rejects.toMatchObject({ code: "unauthenticated" });
});

test("without a gateway the first connection fails with advice if retryFirst is false", async () => {
	const watched = connect(await deadUrl(), { retryFirst: false });
	await expect(watched.client.open({})).rejects.toMatchObject({
		code: "unavailable",
		message: expect.stringMatching(/^no gateway listens at ws:\S+\/api\/ws: start one with `parley start`$/),
	});
});

test("without a gateway the first connection is retried until there is one", async () => {
	const watched = connect(await deadUrl());
	for (let tries = 0; tries < 3; tries++) expect(await watched.retry()).toContain("no gateway listens at");
});

test("a lost connection is retried although retryFirst is false", async () => {
	const gateway = await listen();
	const watched = connect(gateway.url, { retryFirst: false });
	await (await gateway.connection()).cut();
	await watched.retry();
	await gateway.connection();
	expect(await watched.until("open")).toContain("/api/ws");
});

test("waits increase during failures and start small again after a success", async () => {
	const gateway = await listen();
	const half = { create: () => "key", uuid: () => "80000000-0000-4000-8000-000080000000" };
	const watched = connect(gateway.url, { ids: half });
	const waits: string[] = [];
	const loseOne = async (): Promise<void> => {
		await (await gateway.connection()).cut();
		waits.push((await watched.retry()).replace(/.*retrying in /, ""));
	};
	for (let losses = 0; losses < 7; losses++) await loseOne();
	expect(waits).toEqual(["125 ms", "250 ms", "500 ms", "1000 ms", "2000 ms", "4000 ms", "5000 ms"]);
	const answered = watched.client.request("cancel_turn", {});
	const peer = await gateway.connection();
	await peer.answer("cancel_turn", { status: "idle" });
	await answered;
	await peer.cut();
	expect(await watched.retry()).toContain("retrying in 125 ms");
});

test.each([
	["not JSON", "{"],
	["not a frame", "[]"],
	["a request", '{"type":"req","id":"1","method":"m"}'],
	["an event without seq", '{"type":"event","event":"session.created","payload":{}}'],
	["a prototype key", '{"type":"res","id":"1","ok":true,"payload":{"__proto__":1}}'],
])("%s from the gateway closes with 1002 and connects again", async (_name, text) => {
	const gateway = await listen();
	const watched = connect(gateway.url);
	const peer = await gateway.connection();
	peer.socket.send(text);
	expect(await peer.closed).toBe(1002);
	expect(await watched.retry()).toContain("sent a frame that cannot be read");
	const answer = watched.client.request("cancel_turn", {});
	await (await gateway.connection()).answer("cancel_turn", { status: "idle" });
	expect(await answer).toEqual({ status: "idle" });
});

test("a gateway that sends bad frames repeatedly is abandoned", async () => {
	const gateway = await listen();
	const watched = connect(gateway.url);
	const waiting = watched.client.request("cancel_turn", {});
	const rejected = expect(waiting).rejects.toMatchObject({ code: "data_loss" });
	for (let connections = 1; connections <= 5; connections++) {
		const peer = await gateway.connection();
		peer.socket.send("{");
		expect(await peer.closed).toBe(1002);
		if (connections < 5) await watched.retry();
	}
	await rejected;
	expect(await watched.until("closed")).toContain("sent a frame that cannot be read");
});

test("a silent gateway is detected, and one that sends frames stays connected", async () => {
	const silent = await listen(101, false);
	const watched = connect(silent.url);
	const peer = await silent.connection();
	await watched.until("open");
	const pinged = Promise.withResolvers<void>();
	peer.socket.on("ping", () => pinged.resolve());
	watched.clock.advance(30_000);
	await pinged.promise;
	peer.socket.pong();
	const answer = watched.client.request("cancel_turn", {});
	await peer.answer("cancel_turn", { status: "idle" });
	expect(await answer).toEqual({ status: "idle" });
	watched.clock.advance(30_000);
	const pending = watched.client.request("cancel_turn", {});
	await peer.answer("cancel_turn", { status: "cancelled" });
	expect(await pending).toEqual({ status: "cancelled" });
	watched.clock.advance(60_000);
	expect(await watched.until("lost")).toContain("the connection ended (1006)");
});

test("a close while connecting settles all requests and leaves no timer", async () => {
	const gateway = await listen();
	const watched = new WatchedClient(gateway.url);
	const rejected = expect(watched.client.open({})).rejects.toMatchObject({ code: "cancelled" });
	await watched.client.close();
	await rejected;
	expect(watched.clock.pending).toBe(0);
	await expect(watched.client.request("cancel_turn", {})).rejects.toMatchObject({ code: "cancelled" });
});

test("close during the wait for the next attempt leaves no timer, and can be repeated", async () => {
	const watched = new WatchedClient(await deadUrl());
	await watched.until("lost");
	await watched.client.close();
	await watched.client.close();
	expect(watched.clock.pending).toBe(0);
});

test("close ends the events of every session without an error", async () => {
	const gateway = await listen();
	const watched = connect(gateway.url);
	const opening = watched.client.open({});
	const peer = await gateway.connection();
	await peer.opens("sess_1", "created", 0);
	const events = Array.fromAsync((await opening).events());
	await watched.client.close();
	expect(await events).toEqual([]);
	expect(await peer.closed).toBe(1000);
	expect(watched.clock.pending).toBe(0);
});

test("the client closes without a response of the gateway after two seconds", async () => {
	const gateway = await listen();
	const watched = new WatchedClient(gateway.url);
	const peer = await gateway.connection();
	await watched.until("open");
	peer.socket.pause();
	const closed = watched.client.close();
	watched.clock.advance(2_000);
	await closed;
	expect(watched.clock.pending).toBe(0);
});

test("a request in the tick of the close is sent before it", async () => {
	const gateway = await listen();
	const watched = connect(gateway.url);
	await watched.until("open");
	const methods = ["list_sessions", "whoami"] as const;
	const both = methods.map((name) =>
		expect(watched.client.request(name, {})).rejects.toMatchObject({ code: "cancelled" }),
	);
	const closed = watched.client.close();
	const peer = await gateway.connection();
	for (const name of methods) await peer.request(name);
	expect(await peer.closed).toBe(1000);
	await Promise.all([...both, closed]);
});

test("a request in the tick in which the connection is found dead is sent again on the next one", async () => {
	const gateway = await listen();
	const watched = connect(gateway.url);
	await watched.until("open");
	await gateway.connection();
	watched.clock.advance(30_000);
	const answer = watched.client.request("cancel_turn", {});
	watched.clock.advance(30_000);
	await watched.retry();
	await (await gateway.connection()).answer("cancel_turn", { status: "idle" });
	expect(await answer).toEqual({ status: "idle" });
});
