import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redactor, systemClock } from "@parley/base";
import type { McpLogin } from "@parley/core";
import { expect, onTestFinished, test } from "vitest";
import { secretKeyIn } from "../data-directory/secret-key.ts";
import { McpLoginFile, mcpLoginsIn, readLoginStates } from "./mcp-logins.ts";

const url = "https://mcp.example/mcp";

function loginWith(accessToken: string, more: Partial<McpLogin> = {}): McpLogin {
	const server = {
		issuer: "https://login.example",
		authorization_endpoint: "https://login.example/authorize",
		token_endpoint: "https://login.example/token",
		response_types_supported: ["code"],
	};
	const client = { client_id: "parley", client_secret: "the-secret-of-the-client" };
	return { id: "login_1", url, resource: url, server, client, privateHosts: [], accessToken, ...more };
}

async function open() {
	const data = await mkdtemp(join(tmpdir(), "parley-mcp-logins-"));
	onTestFinished(() => rm(data, { recursive: true, force: true }));
	const redactor = new Redactor();
	const path = mcpLoginsIn(data);
	const file = new McpLoginFile({ data, clock: systemClock, redactor });
	return {
		data,
		path,
		redactor,
		file,
		store: (login: McpLogin) => file.change("a", () => Promise.resolve(login)),
	};
}

test("a login is stored without readable secrets, and found by its name and address", async () => {
	const { data, path, file, store } = await open();
	const login = loginWith("an-access-token-1");
	await store(login);
	const text = await readFile(path, "utf8");
	expect(text).not.toMatch(/an-access-token|the-secret-of/);
	const other = new McpLoginFile({ data, clock: systemClock, redactor: new Redactor() });
	await expect(other.find("a", url)).resolves.toEqual(login);
	await expect(other.find("a", "https://other.example/mcp")).resolves.toBeUndefined();
	await expect(other.find("b", url)).resolves.toBeUndefined();
	await expect(readLoginStates(path)).resolves.toEqual(
		new Map([["a", { id: "login_1", url, hasEnded: false }]]),
	);
	await file.change("a", () => Promise.resolve(loginWith("")));
	expect((await readLoginStates(path)).get("a")?.hasEnded).toBe(true);
});

test("a login that was moved to another server, or whose key is lost, is not used, and can be replaced", async () => {
	const { data, path, file, store } = await open();
	await store(loginWith("an-access-token-1"));
	const text = await readFile(path, "utf8");
	await writeFile(path, text.replace('"a"', '"b"'));
	await expect(file.find("b", url)).resolves.toBeUndefined();
	await writeFile(path, text.replaceAll(url, "https://evil.example/mcp"));
	await expect(file.find("a", "https://evil.example/mcp")).resolves.toBeUndefined();
	await writeFile(path, text);
	await rm(secretKeyIn(data));
	const later = new McpLoginFile({ data, clock: systemClock, redactor: new Redactor() });
	await expect(later.find("a", url)).resolves.toBeUndefined();
	await later.change("a", () => Promise.resolve(loginWith("an-access-token-2")));
	await expect(later.find("a", url)).resolves.toMatchObject({ accessToken: "an-access-token-2" });
});

test("an invalid file is an error, and a failed change leaves it as it was", async () => {
	const { path, file, store } = await open();
	await store(loginWith("an-access-token-1"));
	await expect(file.change("a", () => Promise.reject(new Error("no network")))).rejects.toThrow("no network");
	await expect(file.find("a", url)).resolves.toMatchObject({ accessToken: "an-access-token-1" });
	for (const content of ['{"logins": {"a": {}}}', '{"logins": {']) {
		await writeFile(path, content);
		await expect(file.find("a", url)).rejects.toThrow("mcp-logins.json is not valid");
	}
});

test("the tokens of the last refreshes are removed from texts, but older tokens are not", async () => {
	const { redactor, store } = await open();
	for (let index = 0; index < 30; index += 1) await store(loginWith(`an-access-token-${index}.`));
	expect(redactor.redact("an-access-token-29. the-secret-of-the-client")).toBe("[redacted] [redacted]");
	expect(redactor.redact("an-access-token-28.")).toBe("[redacted]");
	expect(redactor.redact("an-access-token-3.")).toBe("an-access-token-3.");
});

test("a slow change of one login delays no other, and no change is lost", async () => {
	const { data, file, store, path } = await open();
	await store(loginWith("an-access-token-1"));
	const [reached, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<McpLogin>()];
	const first = file.change("a", () => {
		reached.resolve();
		return slow.promise;
	});
	await reached.promise;
	const other = new McpLoginFile({ data, clock: systemClock, redactor: new Redactor() });
	await other.change("b", () => Promise.resolve(loginWith("an-access-token-b")));
	await other.change("c", () => Promise.resolve(loginWith("an-access-token-c")));
	await file.change("c", () => Promise.resolve(undefined));
	const second = other.change("a", (before) => {
		expect(before?.accessToken).toBe("an-access-token-2");
		return Promise.resolve(loginWith("an-access-token-3"));
	});
	slow.resolve(loginWith("an-access-token-2"));
	await Promise.all([first, second]);
	expect([...(await readLoginStates(path)).keys()].toSorted()).toEqual(["a", "b"]);
	await expect(file.find("a", url)).resolves.toMatchObject({ accessToken: "an-access-token-3" });
	await expect(file.find("b", url)).resolves.toMatchObject({ accessToken: "an-access-token-b" });
});
