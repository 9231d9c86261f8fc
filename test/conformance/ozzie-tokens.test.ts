import { once } from "node:events";
import { chmod, readFile, stat } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { createIds, mintToken } from "@parley/base";
import { ManualClock, pacedNow } from "@parley/base/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const withTokens = { config: { auth: "token" } } as const;
/** Maximum milliseconds until a revoked token has no effect. */
const promisedMs = 5_000;

function bearer(token: string) {
	return { headers: { authorization: `Bearer ${token}` } };
}

async function ownToken(gateway: TestGateway): Promise<string> {
	return (await readOperatorToken(gateway.path("data"))) ?? "";
}

async function connectOperator(gateway: TestGateway): Promise<OzzieClient> {
	return OzzieClient.connect(gateway.url, bearer(await ownToken(gateway)));
}

async function make(client: OzzieClient, params: object): Promise<string> {
	return String((await client.call("create_token", params))["token"]);
}

async function statusOf(gateway: TestGateway, token: string, path = "/api/sessions"): Promise<number> {
	return (await fetch(gateway.url + path, bearer(token))).status;
}

async function ticketFor(gateway: TestGateway, token: string): Promise<string> {
	const answer = await fetch(`${gateway.url}/api/tickets`, { ...bearer(token), method: "POST" });
	expect(answer.status).toBe(201);
	// The cast is safe because the gateway's response has this type.
	const { ticket, expires_in } = (await answer.json()) as { ticket: string; expires_in: number };
	expect(expires_in).toBe(30);
	return ticket;
}

function byTicket(gateway: TestGateway, ticket: string): Promise<OzzieClient> {
	const socket = OzzieClient.connect(gateway.url, { origin: gateway.url }, "", [`parley.ticket.${ticket}`]);
	return socket;
}

verifiesOn("ozzie", ["token.rights"], "a client gets no additional rights by its claims", async () => {
	await using gateway = await TestGateway.start(withTokens);
	await using operator = await connectOperator(gateway);
	const token = await make(operator, { kind: "observer", name: "wall" });
	const { authorization } = bearer(token).headers;
	const headers = { authorization, "x-parley-scopes": "admin", "x-principal": "operator" };
	await using observer = await OzzieClient.connect(gateway.url, { headers });
	const claims = { scopes: ["admin"], role: "owner", principal: "operator", kind: "operator" };
	const member = { actor: { id: "1", name: "x", roles: ["admin"] }, place: { tenant: "g", channel: "c" } };
	for (const params of [claims, { ...claims, ...member }]) {
		expect(await observer.refusal("send_message", { content: "hi", ...params })).toMatch(/^forbidden/);
		expect(await observer.refusal("list_tokens", params, claims)).toMatch(/^forbidden/);
		expect(await observer.call("whoami", params)).toMatchObject({
			...{ principal: "observer:wall", kind: "observer" },
		});
	}
	expect(await operator.call("list_sessions", {})).toEqual({ sessions: [] });
});

verifiesOn("ozzie", ["token.routes"], "each kind of principal gets only its data over HTTP", async () => {
	await using gateway = await TestGateway.start(withTokens);
	await using operator = await connectOperator(gateway);
	const session = await operator.open();
	const tokens = {
		own: await ownToken(gateway),
		operator: await make(operator, { kind: "operator", name: "desk" }),
		all: await make(operator, { kind: "observer", name: "all" }),
		one: await make(operator, { kind: "observer", name: "one", sessions: [session] }),
		connector: await make(operator, { kind: "connector", name: "chat", platform: "discord" }),
	};
	const stored = await fetch(`${gateway.url}/api/files?name=a.txt`, {
		...{ ...bearer(tokens.own), method: "POST", body: "hello" },
	});
	// The cast is safe because the gateway's response has this type.
	const { url } = (await stored.json()) as { url: string };
	const table: Record<
		string,
		readonly [own: number, operator: number, all: number, one: number, chat: number]
	> = {
		"GET /api/sessions": [200, 200, 200, 200, 200],
		"GET /api/events": [200, 200, 200, 200, 200],
		[`GET /api/events?session=${session}`]: [200, 200, 200, 200, 404],
		"GET /api/events?session=sess_unknown": [404, 404, 404, 404, 404],
		"GET /api/tasks": [200, 200, 200, 200, 200],
		"GET /api/health?verbose": [200, 200, 200, 200, 200],
		"GET /metrics": [200, 200, 403, 403, 403],
		"POST /api/files?name=b.txt": [201, 201, 403, 403, 201],
		[`GET ${url}`]: [200, 200, 200, 404, 404],
		"POST /api/tickets": [201, 201, 201, 201, 201],
		"GET /api/tickets": [405, 405, 405, 405, 405],
	};
	const answered: Record<string, number[]> = {};
	for (const route of Object.keys(table)) {
		const [method = "", path = ""] = route.split(" ");
		answered[route] = [];
		for (const token of Object.values(tokens)) {
			const body = path.startsWith("/api/files?") ? { body: "x" } : {};
			const answer = await fetch(gateway.url + path, { ...bearer(token), method, ...body });
			await answer.body?.cancel();
			answered[route].push(answer.status);
		}
		const stranger = await fetch(gateway.url + path, { method });
		expect(stranger.status, route).toBe(401);
	}
	expect(answered).toEqual(table);
	const listed = async (token: string) =>
		(await (await fetch(`${gateway.url}/api/sessions`, bearer(token))).text()).includes(session);
	const seen = await Promise.all(Object.values(tokens).map(listed));
	expect(seen).toEqual([true, true, true, true, false]);
});

verifiesOn("ozzie", ["token.once"], "the text of a token is returned once", async () => {
	await using gateway = await TestGateway.start(withTokens);
	await using operator = await connectOperator(gateway);
	const wish = { kind: "observer", name: "wall", key: "k" };
	const created = await operator.call("create_token", wish);
	const token = String(created["token"]);
	expect(created["info"]).toMatchObject({ kind: "observer", name: "wall", status: "active" });
	expect(await operator.refusal("create_token", wish)).toMatch(/^invalid params: .*shown only once/);
	expect(await operator.refusal("create_token", { ...wish, key: "k2" })).toMatch(/^invalid params: .*wall/);
	const received = JSON.stringify([
		await operator.call("list_tokens"),
		await operator.call("read_audit", {}),
		await (await fetch(`${gateway.url}/api/events`, bearer(await ownToken(gateway)))).json(),
	]);
	expect(received).toContain("wall");
	expect(received).not.toContain(token.slice(-49));
	await gateway.stop();
	const database = await readFile(gateway.path("data", "parley.sqlite"), "latin1");
	expect(database).not.toContain(token.slice(-49, -6));
});

verifiesOn(
	"ozzie",
	["token.rotate"],
	"a rotated token is invalid immediately, without a restart",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ ...withTokens, clock });
		await using operator = await connectOperator(gateway);
		const first = await make(operator, { kind: "connector", name: "chat", platform: "discord" });
		const rotate = async (params: object) =>
			String((await operator.call("rotate_token", { token_id: "chat", ...params }))["token"]);
		const second = await rotate({});
		expect([await statusOf(gateway, first), await statusOf(gateway, second)]).toEqual([401, 200]);
		const third = await rotate({ grace_seconds: 60 });
		expect([await statusOf(gateway, second), await statusOf(gateway, third)]).toEqual([200, 200]);
		await pass(clock, 60_000, operator);
		expect([await statusOf(gateway, second), await statusOf(gateway, third)]).toEqual([401, 200]);
		await using connector = await OzzieClient.connect(gateway.url, bearer(third));
		expect(await connector.call("whoami")).toMatchObject({ principal: "connector:chat" });
		expect(await operator.refusal("rotate_token", { token_id: "chat", grace_seconds: 601 })).toMatch(
			/^invalid params: grace_seconds/,
		);
	},
);

verifiesOn("ozzie", ["token.own", "token.end"], "the operator's own token can be rotated", async () => {
	await using gateway = await TestGateway.start(withTokens);
	const before = await ownToken(gateway);
	await using operator = await OzzieClient.connect(gateway.url, bearer(before));
	const { token } = await operator.call("rotate_token", { token_id: "operator" });
	expect(await operator.closed).toEqual({ code: 4001, reason: "token revoked" });
	expect(await ownToken(gateway)).toBe(token);
	expect((await stat(gateway.path("data", "tokens", "operator"))).mode & 0o777).toBe(0o600);
	expect([await statusOf(gateway, before), await statusOf(gateway, String(token))]).toEqual([401, 200]);
	await gateway.restart();
	expect([await statusOf(gateway, before), await statusOf(gateway, String(token))]).toEqual([401, 200]);
	await using reconnected = await connectOperator(gateway);
	expect(await reconnected.refusal("revoke_token", { token_id: "operator" })).toMatch(/rotate operator/);
	await chmod(gateway.path("data", "tokens", "operator"), 0o644);
	expect(await reconnected.refusal("rotate_token", { token_id: "operator" })).toMatch(/chmod 600/);
	expect(await statusOf(gateway, String(token))).toBe(200);
});

verifiesOn("ozzie", ["token.end"], "only the connections of a revoked token are closed", async () => {
	await using gateway = await TestGateway.start(withTokens);
	await using operator = await connectOperator(gateway);
	const session = await operator.open();
	const token = await make(operator, { kind: "operator", name: "lost" });
	await using one = await OzzieClient.connect(gateway.url, bearer(token));
	await one.open({ session_id: session });
	await using page = await byTicket(gateway, await ticketFor(gateway, token));
	const unused = await ticketFor(gateway, token);
	const stream = async (query: string) => {
		const headers = { ...bearer(token).headers, accept: "text/event-stream" };
		return (await fetch(`${gateway.url}/api/events${query}`, { headers })).body?.getReader();
	};
	const streams = [await stream(""), await stream(`?session=${session}`)];
	const upload = httpRequest(`${gateway.url}/api/files?name=a`, { ...bearer(token), method: "POST" });
	const cut = once(upload, "error");
	upload.write("never finished");
	await operator.call("list_sessions");
	const at = performance.now();
	await operator.call("revoke_token", { token_id: "lost" });
	for (const client of [one, page]) {
		expect(await client.closed).toEqual({ code: 4001, reason: "token revoked" });
	}
	for (const reader of streams) await expect(drain(reader)).rejects.toThrow();
	await cut;
	expect(performance.now() - at).toBeLessThan(pacedNow(promisedMs));
	expect(await statusOf(gateway, token)).toBe(401);
	await expect(byTicket(gateway, unused)).rejects.toThrow("401");
	expect(await operator.call("list_sessions")).toMatchObject({ sessions: [{ session_id: session }] });
});

verifiesOn("ozzie", ["token.end"], "an expired token closes its connections as well", async () => {
	const clock = new ManualClock();
	await using gateway = await TestGateway.start({ ...withTokens, clock });
	await using operator = await connectOperator(gateway);
	const token = await make(operator, { kind: "observer", name: "brief", days: 0.01 });
	await using observer = await OzzieClient.connect(gateway.url, bearer(token));
	await pass(clock, 863_999, operator, observer);
	expect(await statusOf(gateway, token)).toBe(200);
	clock.advance(1);
	expect(await observer.closed).toMatchObject({ code: 4001 });
	expect(await statusOf(gateway, token)).toBe(401);
	const { tokens } = await operator.call("list_tokens");
	expect(tokens).toContainEqual(expect.objectContaining({ name: "brief", status: "expired" }));
});

verifiesOn("ozzie", ["token.refused"], "all invalid tokens are refused in the same way", async () => {
	await using gateway = await TestGateway.start(withTokens);
	await using operator = await connectOperator(gateway);
	const own = await ownToken(gateway);
	const revoked = await make(operator, { kind: "observer", name: "wall" });
	await operator.call("revoke_token", { token_id: "wall" });
	const ids = createIds();
	const wrong = [
		...["undefined", "null", "true", "changeme", "[redacted]", "gw_operator_", "%20", "TOKEN"],
		...[own.slice(0, -1), own.slice(0, 40), own.toUpperCase(), `${own}x`, revoked],
		...(["operator", "observer", "connector", "ticket"] as const).map((kind) => mintToken(kind, ids)),
	];
	const answers = new Set<string>();
	for (const [n, token] of wrong.entries()) {
		const answer = await fetch(`${gateway.url}/api/sessions`, bearer(token));
		expect([401, 429], `${n}`).toContain(answer.status);
		if (answer.status === 401) answers.add(await answer.text());
	}
	for (const headers of [{ authorization: "Bearer" }, { authorization: own }, { authorization: "" }]) {
		expect((await fetch(`${gateway.url}/api/sessions`, { headers })).status).toBeGreaterThan(400);
	}
	expect(answers.size).toBe(1);
	expect(await statusOf(gateway, own)).toBe(200);
	expect((await fetch(`${gateway.url}/api/sessions?token=${own}`)).status).toBe(400);
	const { records } = await operator.call("read_audit", {});
	expect(records).toContainEqual(
		expect.objectContaining({ action: "auth.fail", object: "operator 127.0.0.1", decision: "denied" }),
	);
});

verifiesOn(
	"ozzie",
	["token.ticket"],
	"a page connects with a ticket, once, as the principal that requested it",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ ...withTokens, clock });
		await using operator = await connectOperator(gateway);
		const token = await make(operator, { kind: "observer", name: "wall" });
		const ticket = await ticketFor(gateway, token);
		await using page = await byTicket(gateway, ticket);
		expect(page.socket.protocol).toBe(`parley.ticket.${ticket}`);
		expect(await page.call("whoami")).toMatchObject({ principal: "observer:wall" });
		await expect(byTicket(gateway, ticket)).rejects.toThrow("401");
		const late = await ticketFor(gateway, token);
		clock.advance(30_000);
		await expect(byTicket(gateway, late)).rejects.toThrow("401");
		const elsewhere = await ticketFor(gateway, token);
		expect(await statusOf(gateway, elsewhere)).toBe(401);
		await expect(OzzieClient.connect(gateway.url, bearer(elsewhere))).rejects.toThrow("401");
		await expect(byTicket(gateway, token)).rejects.toThrow("401");
		const foreign = { ...bearer(token).headers, origin: "https://evil.test" };
		const refused = await fetch(`${gateway.url}/api/tickets`, { method: "POST", headers: foreign });
		expect(refused.status).toBe(403);
	},
);

verifiesOn("ozzie", ["token.observer"], "an observer sees a question, and cannot answer it", async () => {
	await using gateway = await TestGateway.start(withTokens);
	await using operator = await connectOperator(gateway);
	const session = await operator.open();
	const other = await operator.open({ join: true });
	const token = await make(operator, { kind: "observer", name: "one", sessions: [session] });
	await using observer = await OzzieClient.connect(gateway.url, bearer(token));
	await observer.open({ session_id: session });
	expect(await observer.refusal("open_session", { session_id: other })).toMatch(/^session not found/);
	await operator.call("send_message", { content: "run: true" }, { session_id: session });
	const promptToken = (await operator.event("prompt.request")).payload["token"];
	const seen = (await observer.event("prompt.request")).payload["token"];
	expect(seen).toMatch(/^hidden_/);
	for (const known of [promptToken, seen]) {
		expect(await observer.refusal("prompt_response", { token: known, value: true })).toMatch(/^forbidden/);
	}
	await operator.call("prompt_response", { token: promptToken, cancelled: true });
	expect((await observer.event("prompt.response")).payload["token"]).toBe(seen);
	await observer.event("assistant.message");
});

async function pass(clock: ManualClock, ms: number, ...clients: readonly OzzieClient[]): Promise<void> {
	for (let remaining = ms; remaining > 0; remaining -= 15_000) {
		clock.advance(Math.min(remaining, 15_000));
		// Without requests, the gateway would disconnect the clients.
		for (const client of clients) await client.call("list_sessions", { limit: 1 });
	}
}

async function drain(reader: ReadableStreamDefaultReader<unknown> | undefined): Promise<void> {
	while (reader && !(await reader.read()).done);
}
