import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
	loginKey,
	type McpServerSettings,
	readDirectoryFile,
	type TrustedMcpRemote,
	trustedServers,
} from "@parley/core";
import { says } from "@parley/core/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startEverything } from "./everything-server.ts";
import { browse, openAuthorizationServer } from "./oauth/authorization-server.ts";
import { begin, openLogins, remoteAt } from "./oauth/login-scene.ts";
import { openProtectedServer } from "./oauth/protected-server.ts";
import { callsOnce, type McpScene, openScene, outcomeOf } from "./scene.ts";
import { TestSource } from "./test-source.ts";

let everything: Awaited<ReturnType<typeof startEverything>>;
beforeAll(async () => {
	everything = await startEverything();
});
afterAll(() => everything.stop());

async function put(directory: string, entry: object, name = "remote"): Promise<void> {
	await mkdir(directory, { recursive: true });
	await writeFile(join(directory, ".mcp.json"), JSON.stringify({ mcpServers: { [name]: entry } }));
}

/** Returns the trust that `parley mcp trust --allow-private` stores for the current file. */
async function trustIn(directory: string, more: Partial<TrustedMcpRemote> = {}): Promise<TrustedMcpRemote> {
	const file = await readDirectoryFile(directory);
	const [entry] = file?.entries ?? [];
	if (file === undefined || entry === undefined || !("url" in entry)) throw new Error("no remote entry");
	const facts = { directory, file: file.hash, name: entry.name, url: entry.url };
	return { ...facts, allowPrivate: true, environment: {}, secrets: [], ...more };
}

const workOf = ({ t }: McpScene): string => join(t.directory, "work");

async function openListener(answer = 400, location?: string) {
	const seen: IncomingHttpHeaders[] = [];
	const server = createServer(({ headers }, response) => {
		seen.push(headers);
		response.writeHead(answer, location === undefined ? {} : { location }).end();
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	// The cast is safe because the server listens on a TCP port.
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/mcp`, seen };
}

async function open(replies = [[says("one")], [says("two")], [says("three")]]) {
	const source = new TestSource();
	const s = await openScene([], replies, { mcp: { source, version: "1" } });
	onTestFinished(() => s[Symbol.asyncDispose]());
	return { s, source };
}

async function toolsAfter(s: McpScene): Promise<string[]> {
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	const tools = s.model.requests.at(-1)?.tools ?? [];
	return tools.map(({ name }) => name).filter((name) => name.includes("__"));
}

test("a remote server of a directory is used only after the trust, and its calls send data", async () => {
	const source = new TestSource();
	const replies = [[says("one")], ...callsOnce("remote__echo", { message: "hi" })];
	await using s = await openScene([], replies, { mcp: { source, version: "1" } });
	await put(workOf(s), { type: "http", url: everything.url });
	await expect(toolsAfter(s)).resolves.toEqual([]);
	source.setup = { servers: [], trusted: [await trustIn(workOf(s))] };
	await expect(outcomeOf(s)).resolves.toContain("Echo: hi");
	const rows = await s.t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
	expect(rows.find(({ id }) => id === s.session)?.taint).toBe("UE");
});

test("any header makes the results of a server private, because it can be a credential", async () => {
	const source = new TestSource();
	const replies = callsOnce("remote__echo", { message: "hi" });
	await using s = await openScene([], replies, { mcp: { source, version: "1" } });
	await put(workOf(s), { url: everything.url, headers: { "X-Key": "as-written" } });
	source.setup = { servers: [], trusted: [await trustIn(workOf(s))] };
	await s.t.send(s.session, "go");
	const { prompt } = await s.log.next("prompt.requested");
	expect(JSON.stringify(prompt)).toContain("reads outside the roots; reaches the network");
});

test.each([
	[{ url: "http://127.0.0.1:8443/mcp" }, "its address is not https"],
	[{ url: "https://127.0.0.1:8443/mcp" }, "is not on the public internet"],
	[{ url: "https://localhost:8443/mcp" }, "is not on the public internet"],
	[{ url: "https://[::ffff:10.0.0.1]/mcp" }, "is not on the public internet"],
])("without a grant of private addresses, %j is not used", async (entry, problem) => {
	const { s, source } = await open();
	await put(workOf(s), entry);
	source.setup = { servers: [], trusted: [await trustIn(workOf(s), { allowPrivate: false })] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	const { states, problems } = s.t.runtime.mcp;
	const found = [...states.map((one) => one.problem), ...problems].join();
	expect(found).toContain(problem);
	expect(found).toMatch(/(with |`parley mcp trust \/\S+ )--server remote --allow-private/);
});

test("trust ends with a change to the file, and the problem names the new address", async () => {
	const { s, source } = await open();
	const evil = await openListener();
	await put(workOf(s), { url: everything.url });
	source.setup = { servers: [], trusted: [await trustIn(workOf(s))] };
	await expect(toolsAfter(s)).resolves.toContain("remote__echo");
	await put(workOf(s), { url: evil.url });
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain(
		`remote: .mcp.json has changed, and the address of the server in it is now ${evil.url}. Review the server, then trust it`,
	);
	expect(evil.seen).toEqual([]);
});

test("the trust is bound to the address itself, also if the hash is that of the file", async () => {
	const { s, source } = await open();
	const evil = await openListener();
	await put(workOf(s), { url: evil.url });
	source.setup = { servers: [], trusted: [await trustIn(workOf(s), { url: everything.url })] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain(`remote: its address is now ${evil.url}`);
	await put(workOf(s), { command: process.execPath });
	const file = await readDirectoryFile(workOf(s));
	const [one] = source.setup.trusted;
	if (one) source.setup = { servers: [], trusted: [{ ...one, file: file?.hash ?? "" }] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain("its entry is now a server of another kind");
	expect(evil.seen).toEqual([]);
});

test("a file that is exchanged at any moment of the check never leads to an address without trust", async () => {
	const { s, source } = await open();
	const evil = await openListener();
	const good = { url: everything.url };
	await put(workOf(s), good);
	const trusted = [await trustIn(workOf(s))];
	source.setup = { servers: [], trusted };
	for (let moment = 0; moment < 20; moment++) {
		const check = trustedServers(workOf(s), trusted, undefined);
		for (let step = 0; step < moment; step++) await Promise.resolve();
		await put(workOf(s), { url: evil.url });
		const { servers } = await check;
		for (const server of servers) expect(server).toMatchObject({ url: everything.url });
		await put(workOf(s), good);
	}
	expect(evil.seen).toEqual([]);
});

test("a redirect to another origin is not followed", async () => {
	const { s, source } = await open();
	const target = await openListener();
	const redirecting = await openListener(307, target.url);
	await put(workOf(s), { url: redirecting.url, headers: { authorization: "Bearer as-written" } });
	source.setup = { servers: [], trusted: [await trustIn(workOf(s))] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(redirecting.seen.length).toBeGreaterThan(0);
	expect(target.seen).toEqual([]);
});

test("a header gets a variable only if the operator grants it, and is not sent without it", async () => {
	const { s, source } = await open();
	const server = await openListener();
	const headers = {
		Authorization: `Bearer \${SHOP_TOKEN}`,
		"X-Team": `\${env:SHOP_TEAM} of \${SHOP_NAME:-the shop}`,
		"X-Plain": "$SHOP_TOKEN",
	};
	await put(workOf(s), { type: "http", url: server.url, headers });
	const environment = { SHOP_TOKEN: "a-secret-token" };
	source.setup = { servers: [], trusted: [await trustIn(workOf(s), { environment })] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain(
		"remote: its headers need environment variables of the gateway (SHOP_TEAM): grant each of them, for example with --server remote --env-from SHOP_TEAM",
	);
	expect(server.seen).toEqual([]);
	const granted = { ...environment, SHOP_TEAM: "red" };
	source.setup = { servers: [], trusted: [await trustIn(workOf(s), { environment: granted })] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(server.seen[0]).toMatchObject({
		authorization: "Bearer a-secret-token",
		"x-team": "red of the shop",
		"x-plain": "$SHOP_TOKEN",
	});
});

test("a variable whose value no header can have is a problem", async () => {
	const { s, source } = await open();
	const server = await openListener();
	await put(workOf(s), { url: server.url, headers: { "X-Key": `\${SHOP_TOKEN}` } });
	const environment = { SHOP_TOKEN: "a\r\nHost: other" };
	source.setup = { servers: [], trusted: [await trustIn(workOf(s), { environment })] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain("the header x-key has a value with invalid characters");
	expect(server.seen).toEqual([]);
});

test("a remote server of a directory never replaces one of the operator", async () => {
	const { s, source } = await open();
	const evil = await openListener();
	await put(workOf(s), { url: evil.url });
	const own: McpServerSettings = remoteAt(everything.url);
	source.setup = { servers: [own], trusted: [await trustIn(workOf(s))] };
	await expect(toolsAfter(s)).resolves.toContain("remote__echo");
	expect(evil.seen).toEqual([]);
	expect(s.t.runtime.mcp.problems).toEqual([
		"remote: not used, because a server of the operator has the same name: rename the server in .mcp.json",
	]);
});

test("two directories with the same entry name never share a login, not even for the same address", async () => {
	await using authorization = await openAuthorizationServer("mcp:tools");
	await using server = await openProtectedServer(authorization, "mcp:tools");
	const { logins } = await openLogins();
	const pending = await begin(remoteAt(server.url));
	const login = await pending.finish((await browse(pending.url)).searchParams);
	const source = new TestSource();
	const mcp = { source, version: "1", logins };
	await using s = await openScene([], [[says("one")], [says("two")], [says("three")]], { mcp });
	const other = join(s.t.directory, "other");
	for (const directory of [other, workOf(s)]) await put(directory, { url: server.url });
	await logins.change(loginKey({ name: "remote", directory: other }), () => Promise.resolve(login));
	const state = { id: login.id, hasEnded: false };
	source.setup = { servers: [], trusted: [await trustIn(workOf(s))] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(new Set(server.seen)).toEqual(new Set([""]));
	expect(s.t.runtime.mcp.states[0]?.problem).toBe(
		`it requires a login: run \`parley mcp login remote --dir ${workOf(s)}\``,
	);
	// The stored login of this directory belongs to another URL.
	const key = loginKey({ name: "remote", directory: workOf(s) });
	await logins.change(key, () => Promise.resolve({ ...login, url: "https://other.example/mcp" }));
	source.setup = { servers: [], trusted: [await trustIn(workOf(s), { login: state })] };
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(new Set(server.seen)).toEqual(new Set([""]));
	await logins.change(key, () => Promise.resolve(login));
	source.setup = { servers: [], trusted: [await trustIn(workOf(s), { login: { ...state, id: "again" } })] };
	await expect(toolsAfter(s)).resolves.toContain("remote__echo");
	expect(server.seen).toContain(`Bearer ${login.accessToken}`);
});
