import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { fixedSource, type McpLogin, type McpLogins, revokeLogin } from "@parley/core";
import { calls, type ScriptedReply, says } from "@parley/core/testing";
import { McpLoginFile } from "@parley/gateway";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answer, callsOnce, type McpScene, openScene, resultsIn } from "../scene.ts";
import { type AuthorizationServer, browse, openAuthorizationServer } from "./authorization-server.ts";
import { begin, openLogins, remoteAt } from "./login-scene.ts";
import { openProtectedServer, type ProtectedServer } from "./protected-server.ts";

const scope = "mcp:tools";
let authorization: AuthorizationServer;
let server: ProtectedServer;

beforeAll(async () => {
	authorization = await openAuthorizationServer(scope);
	server = await openProtectedServer(authorization, scope);
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await authorization[Symbol.asyncDispose]();
});

async function logIn(): Promise<McpLogin> {
	const pending = await begin(remoteAt(server.url));
	return await pending.finish((await browse(pending.url)).searchParams);
}

async function storeLogin() {
	const login = await logIn();
	const stored = await openLogins();
	await stored.logins.change("remote", () => Promise.resolve(login));
	return { login, ...stored };
}

function openWith({ id }: McpLogin, logins: McpLogins, replies: readonly ScriptedReply[]): Promise<McpScene> {
	const settings = remoteAt(server.url, { login: { id, hasEnded: false } });
	return openScene([], replies, { mcp: { source: fixedSource([settings]), version: "1", logins } });
}

async function openLoggedIn(replies: readonly ScriptedReply[]) {
	const stored = await storeLogin();
	return { s: await openWith(stored.login, stored.logins, replies), ...stored };
}

test("the address for the login has PKCE with S256, a state and the resource, and each login its own", async () => {
	const [first, second] = [await begin(remoteAt(server.url)), await begin(remoteAt(server.url))];
	const [one, two] = [first, second].map(({ url }) => Object.fromEntries(url.searchParams));
	expect(one).toMatchObject({ code_challenge_method: "S256", resource: server.url, response_type: "code" });
	expect(one?.["scope"]).toBe(`${scope} offline_access`);
	for (const name of ["state", "code_challenge", "client_id"]) {
		expect(one?.[name]?.length).toBeGreaterThan(20);
		expect(one?.[name]).not.toBe(two?.[name]);
	}
});

test("after a login with an authorization server from npm, tools are called with its token, which is private data", async () => {
	const opened = await openLoggedIn(callsOnce("remote__echo", { message: "hello" }));
	await using s = opened.s;
	await s.t.send(s.session, "go");
	await answer(s);
	await s.log.next("assistant.message");
	expect(resultsIn(s.model).join()).toContain("Echo: hello");
	const rows = await s.t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
	expect(rows.find(({ id }) => id === s.session)?.taint).toBe("UPE");
});

test("the tokens are encrypted in a file of the operator, and removed from texts", async () => {
	const { s, login, data, redactor } = await openLoggedIn([[says("done")]]);
	await using _ = s;
	const text = await readFile(join(data, "mcp-logins.json"), "utf8");
	const secrets = [login.accessToken, login.refreshToken ?? ""];
	for (const secret of secrets) {
		expect(secret.length).toBeGreaterThan(20);
		expect(text).not.toContain(secret);
		expect(redactor.redact(`it is ${secret}`)).toBe("it is [redacted]");
	}
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	for (const secret of secrets) {
		expect(JSON.stringify(s.t.log.records)).not.toContain(secret);
		expect(JSON.stringify(s.model.requests)).not.toContain(secret);
	}
});

test("a refused token is refreshed once, with rotation, and the call is repeated", async () => {
	const { s, login, logins } = await openLoggedIn([
		[calls("c1", "remote__echo", { message: "one" })],
		[says("first")],
		[calls("c2", "remote__echo", { message: "two" })],
		[says("second")],
	]);
	await using _ = s;
	await s.t.send(s.session, "go");
	await answer(s);
	await s.log.next("assistant.message");
	await (await authorization.provider.AccessToken.find(login.accessToken))?.destroy();
	await s.t.send(s.session, "again");
	await answer(s);
	await s.log.next("assistant.message");
	expect(resultsIn(s.model).join()).toContain("Echo: two");
	const after = await logins.find("remote", server.url);
	expect(after?.id).toBe(login.id);
	expect(after?.accessToken).not.toBe(login.accessToken);
	expect(after?.refreshToken).not.toBe(login.refreshToken);
	// The server has recorded that the old refresh token was used.
	const old = await authorization.provider.RefreshToken.find(login.refreshToken ?? "");
	expect(old?.consumed).toBeTruthy();
});

test("a login that cannot be refreshed ends, and the problem names the command for a new login", async () => {
	const { s, login, logins } = await openLoggedIn([[says("done")]]);
	await using _ = s;
	await (await authorization.provider.AccessToken.find(login.accessToken))?.destroy();
	await (await authorization.provider.RefreshToken.find(login.refreshToken ?? ""))?.destroy();
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	const problem = "it requires a login: run `parley mcp login remote`";
	expect(s.t.runtime.mcp.states).toMatchObject([{ phase: "waiting", problem }]);
	await expect(logins.find("remote", server.url)).resolves.toMatchObject({ accessToken: "" });
});

test("a server that requires a login has a problem that names the command", async () => {
	await using s = await openScene([remoteAt(server.url)], [[says("done")]]);
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	const problem = "it requires a login: run `parley mcp login remote`";
	expect(s.t.runtime.mcp.states).toMatchObject([{ phase: "waiting", problem }]);
});

test("a refused token of a variable has a problem that names the setting", async () => {
	const headers = { authorization: "Bearer of-a-variable" };
	await using s = await openScene(
		[remoteAt(server.url, { headers, secrets: ["of-a-variable"] })],
		[[says("done")]],
	);
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	const problem =
		"it refused the token in the environment variable that `tokenFrom` names: set a valid token and restart the gateway";
	expect(s.t.runtime.mcp.states).toMatchObject([{ phase: "waiting", problem }]);
});

test("a token is sent only to the server of its login", async () => {
	const { login, logins, s } = await openLoggedIn([[says("done")]]);
	await using _ = s;
	await using other = await openProtectedServer(authorization, scope);
	await expect(logins.find("remote", other.url)).resolves.toBeUndefined();
	await expect(authorization.accepts(login.accessToken, other.url)).resolves.toBe(false);
	const mcp = { source: fixedSource([remoteAt(other.url)]), version: "1", logins };
	await using moved = await openScene([], [[says("done")]], { mcp });
	await moved.t.send(moved.session, "go");
	await moved.log.next("assistant.message");
	expect(other.seen.length).toBeGreaterThan(0);
	expect(other.seen.every((parameters) => parameters === "")).toBe(true);
});

test("a code is exchanged once, and an answer with another state or issuer is refused", async () => {
	const pending = await begin(remoteAt(server.url));
	const answer = (await browse(pending.url)).searchParams;
	const changed = (name: string, value: string) => {
		const copy = new URLSearchParams(answer);
		copy.set(name, value);
		return copy;
	};
	await expect(pending.finish(changed("state", "another"))).rejects.toThrow("belongs to another login");
	await expect(pending.finish(answer)).resolves.toMatchObject({ url: server.url });
	await expect(pending.finish(answer)).rejects.toThrow("was used before");
	const mixed = await begin(remoteAt(server.url));
	const parameters = (await browse(mixed.url)).searchParams;
	parameters.set("iss", "https://other.example");
	await expect(mixed.finish(parameters)).rejects.toThrow("comes from another authorization server");
	// A code is only valid for the login that requested it, because each login has its own PKCE verifier.
	const attacker = await begin(remoteAt(server.url));
	const victim = await begin(remoteAt(server.url));
	const stolen = (await browse(victim.url)).searchParams;
	stolen.set("state", attacker.url.searchParams.get("state") ?? "");
	await expect(attacker.finish(stolen)).rejects.toThrow(
		"the authorization server refused the request (invalid_grant)",
	);
});

test("the error of a denied login states the denial, without the text of the page", async () => {
	const pending = await begin(remoteAt(server.url));
	const state = pending.url.searchParams.get("state") ?? "";
	const answer = new URLSearchParams({
		state,
		iss: authorization.issuer,
		error: "access_denied",
		error_description: "x",
	});
	await expect(pending.finish(answer)).rejects.toThrow(
		/^the login was denied: repeat the login, and allow the access$/,
	);
});

test("a logout revokes the tokens", async () => {
	const login = await logIn();
	await expect(authorization.accepts(login.accessToken, server.url)).resolves.toBe(true);
	await expect(revokeLogin(login, true, systemClock)).resolves.toBe(true);
	expect(await authorization.provider.RefreshToken.find(login.refreshToken ?? "")).toBeUndefined();
	await expect(authorization.accepts(login.accessToken, server.url)).resolves.toBe(false);
});

test("refreshes at the same time use each refresh token once", async () => {
	const { login, data, redactor, logins } = await storeLogin();
	await (await authorization.provider.AccessToken.find(login.accessToken))?.destroy();
	const before = server.seen.length;
	const requests = () => server.seen.slice(before);
	const locked = Promise.withResolvers<void>();
	// Delays every refresh until the server has refused the old token in all sessions.
	const lock = logins.change("remote", async (stored) => {
		locked.resolve();
		await expect.poll(requests, { timeout: paced(20_000) }).toHaveLength(4);
		return stored;
	});
	await locked.promise;
	const results = Array.from({ length: 4 }, async (_, index) => {
		const own = new McpLoginFile({ data, clock: systemClock, redactor });
		await using s = await openWith(login, own, callsOnce("remote__echo", { message: `call ${index}` }));
		await s.t.send(s.session, "go");
		await answer(s);
		await s.log.next("assistant.message");
		return resultsIn(s.model).join();
	});
	const expected = results.map((_, index) => expect.stringContaining(`Echo: call ${index}`));
	await expect(Promise.all(results)).resolves.toEqual(expected);
	await lock;
	const after = await logins.find("remote", server.url);
	expect(new Set(requests())).toEqual(
		new Set([`Bearer ${login.accessToken}`, `Bearer ${after?.accessToken}`]),
	);
	expect(after?.accessToken).not.toBe(login.accessToken);
	await expect(authorization.accepts(after?.accessToken ?? "", server.url)).resolves.toBe(true);
});
