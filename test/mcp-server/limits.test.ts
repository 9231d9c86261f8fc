import { ManualClock } from "@parley/base/testing";
import { ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import { Desk } from "./desk.ts";
import { initialize, RawClient } from "./raw-client.ts";

async function raw(desk: Desk): Promise<RawClient> {
	return new RawClient(desk, await desk.token());
}

const ping = { jsonrpc: "2.0", id: "ping", method: "ping" };

test("a request without a valid token, host or origin is refused before it is read", async () => {
	await using desk = await Desk.open();
	const token = await desk.token();
	expect((await new RawClient(desk, "gw_wrong").send(initialize)).status).toBe(401);
	const client = new RawClient(desk, token);
	expect((await client.send(initialize, { origin: "https://evil.test" })).status).toBe(403);
	expect((await client.send("", {}, "GET")).status).toBe(405);
	expect((await client.send("", {}, "PUT")).status).toBe(405);
	expect((await fetch(`${desk.url}?token=${token}`, { method: "POST" })).status).toBe(400);
});

test.each([
	["no JSON", "{", {}, 400],
	["a batch", [ping, ping], {}, 400],
	["another version", { ...ping, jsonrpc: "1.0" }, {}, 400],
	["an id that is an object", { ...ping, id: {} }, {}, 400],
	[
		"deep JSON",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(70)}${"]".repeat(70)}}}`,
		{},
		400,
	],
	[
		"many values",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${"0,".repeat(25_000)}0]}}`,
		{},
		400,
	],
	["a prototype", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', {}, 400],
	["a large message", { ...ping, params: { a: "x".repeat(1_100_000) } }, {}, 413],
	["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }, 415],
	["an unknown session", ping, { "mcp-session-id": "mcp_unknown" }, 404],
	["an unknown revision", ping, { "mcp-protocol-version": "1999-01-01" }, 400],
	["another initialize", initialize, {}, 400],
	["a wrong accept header", ping, { accept: "text/html" }, 406],
] as const)(
	"%s is refused, and later requests of the session are served",
	async (_, body, headers, status) => {
		await using desk = await Desk.open();
		const client = await raw(desk);
		const session = await client.open();
		const response = await client.send(body, { ...session, ...headers });
		expect(response.status).toBe(status);
		expect(response.headers.get("content-type")).toBe("application/json");
		expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } });
		const next = await client.send(ping, session);
		expect(next.status).toBe(200);
		expect(await next.text()).toContain('"id":"ping"');
	},
);

test("a message without a session is refused, unless it opens one", async () => {
	await using desk = await Desk.open();
	const client = await raw(desk);
	expect((await client.send(ping)).status).toBe(400);
	// An invalid first message creates no session.
	const invalid = await client.send({ ...initialize, params: {} });
	expect(invalid.status).toBe(400);
	await invalid.text();
	const id = invalid.headers.get("mcp-session-id") ?? "none";
	expect((await client.send(ping, { "mcp-session-id": id })).status).toBe(404);
});

test("a session belongs to the token that opened it, and ends with it", async () => {
	await using desk = await Desk.open();
	const operator = await desk.operator();
	const created = await operator.call("create_token", { kind: "operator", name: "editor" });
	const other = new RawClient(desk, String(created["token"]));
	const client = await raw(desk);
	const session = await client.open();
	expect((await other.send(ping, session)).status).toBe(404);
	expect((await other.send("", session, "DELETE")).status).toBe(404);
	const own = await other.open();
	await operator.call("revoke_token", { token_id: "editor" });
	expect((await other.send(ping, own)).status).toBe(401);
	expect((await client.send(ping, session)).status).toBe(200);
	expect((await client.send("", session, "DELETE")).status).toBe(204);
	expect((await client.send(ping, session)).status).toBe(404);
});

test("a session handles at most 16 concurrent requests, with different ids", async () => {
	const model = new ScriptedModel(...Array.from({ length: 16 }, () => stuck("working")));
	await using desk = await Desk.open({ model });
	const client = await raw(desk);
	const session = await client.open();
	const ask = (id: number) => ({
		jsonrpc: "2.0",
		id,
		method: "tools/call",
		params: { name: "ask", arguments: { message: "work" } },
	});
	const started: Response[] = [];
	for (let id = 1; id <= 16; id++) started.push(await client.send(ask(id), session));
	expect(started.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
	expect((await client.send(ask(17), session)).status).toBe(429);
	// After the client aborts a request, the gateway accepts another request.
	await started[15]?.body?.cancel();
	await expect.poll(async () => (await client.send(ping, session)).status).toBe(200);
	expect((await client.send({ ...ping, id: 1 }, session)).status).toBe(400);
});

test("an unused session ends after 30 minutes", async () => {
	const clock = new ManualClock();
	await using desk = await Desk.open({ clock });
	const client = await raw(desk);
	const session = await client.open();
	clock.advance(29 * 60_000);
	expect((await client.send(ping, session)).status).toBe(200);
	clock.advance(29 * 60_000);
	expect((await client.send(ping, session)).status).toBe(200);
	clock.advance(31 * 60_000);
	expect((await client.send(ping, session)).status).toBe(404);
});

test("the session that was unused for the longest time makes room for another one", async () => {
	await using desk = await Desk.open();
	const client = await raw(desk);
	const first = await client.open();
	const second = await client.open();
	await (await client.send(ping, first)).text();
	for (let at = 0; at < 31; at++) await client.open();
	expect((await client.send(ping, second)).status).toBe(404);
	expect((await client.send(ping, first)).status).toBe(200);
});

test("sessions that open concurrently do not exceed the limit", async () => {
	await using desk = await Desk.open();
	const client = await raw(desk);
	const sessions = await Promise.all(Array.from({ length: 40 }, () => client.open()));
	const states = await Promise.all(sessions.map(async (one) => (await client.send(ping, one)).status));
	expect(states.filter((status) => status === 200)).toHaveLength(32);
});

test("a principal with many sessions ends none of another one, and is limited alone", async () => {
	await using desk = await Desk.open({ clock: new ManualClock() });
	const operator = await desk.operator();
	const created = await operator.call("create_token", { kind: "observer", name: "dashboard" });
	const observer = new RawClient(desk, String(created["token"]));
	const client = await raw(desk);
	const session = await client.open();
	const first = await observer.open();
	for (let at = 0; at < 32; at++) await observer.open();
	expect((await observer.send(ping, first)).status).toBe(404);
	for (let at = 33; at < 100; at++) await observer.open();
	expect((await observer.send(initialize)).status).toBe(429);
	expect((await client.send(ping, session)).status).toBe(200);
	expect((await client.send(initialize)).status).toBe(200);
});

test("after a restart of the gateway, a client opens another session and reads the transcript", async () => {
	await using desk = await Desk.open();
	const client = await raw(desk);
	const session = await client.open();
	const agent = await desk.client();
	const { session_id } = (await agent.call("ask", { message: "say: hello" })).facts;
	await desk.gateway.restart();
	const secondClient = new RawClient(desk, await desk.token());
	expect((await secondClient.send(ping, session)).status).toBe(404);
	const other = await desk.client();
	const page = await other.client.readResource({ uri: `parley://sessions/${session_id}` });
	expect(JSON.stringify(page)).toContain("[offline] hello");
});

test("a gateway that stops answers the waiting clients, whose runs continue at its next start", async () => {
	await using desk = await Desk.open({ model: new ScriptedModel(stuck("one"), [says("two")]) });
	const agent = await desk.client();
	const operator = await desk.operator();
	const { session_id } = Object(await operator.call("open_session", {}));
	const pending = agent.call("ask", { message: "work", session_id });
	await operator.event("assistant.stream");
	await desk.gateway.stop();
	const { facts } = await pending;
	expect(facts).toMatchObject({ status: "running", session_id });
	await desk.gateway.restart();
	const other = await desk.client();
	const { run_id } = facts;
	const ended = await other.call("task_status", { session_id, run_id, wait_seconds: 20 });
	expect(ended.facts).toMatchObject({ status: "completed", text: "two" });
});
