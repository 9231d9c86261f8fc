import type { ServerResponse } from "node:http";
import { ManualClock } from "@parley/base/testing";
import type { LoginOptions } from "@parley/core";
import { afterEach, expect, test } from "vitest";
import { addressOf, close, listen } from "./authorization-server.ts";
import { begin, redirectUrl, remoteAt } from "./login-scene.ts";

type Answer = (response: ServerResponse) => void;

interface Lies {
	/** Fields that replace those of an honest server. */
	readonly resource?: object;
	readonly metadata?: object;
	readonly tokens?: object;
	/** Responses by path that replace the honest responses. */
	readonly answers?: Readonly<Record<string, Answer>>;
}

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
	for (const one of opened.splice(0)) await one.close();
});

function json(value: object): Answer {
	return (response) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
}

const honestTokens = { access_token: "a".repeat(32), token_type: "Bearer", refresh_token: "r".repeat(32) };

/**
 * Starts an MCP server that is its own authorization server. The parameters replace parts of its responses by
 * incorrect ones.
 */
async function openLiar({ resource, metadata, tokens, answers = {} }: Lies) {
	const paths: string[] = [];
	const server = await listen((request, response) => {
		const path = new URL(request.url ?? "", "http://liar").pathname;
		paths.push(path);
		request.resume();
		const answer = answers[path] ?? honest[path];
		if (answer) answer(response);
		else response.writeHead(path === "/mcp" ? 401 : 404).end();
	});
	opened.push({ close: () => close(server) });
	const origin = addressOf(server);
	const honest: Record<string, Answer> = {
		"/.well-known/oauth-protected-resource/mcp": json({
			resource: `${origin}/mcp`,
			authorization_servers: [origin],
			...resource,
		}),
		"/.well-known/oauth-authorization-server": json({
			issuer: origin,
			authorization_endpoint: `${origin}/authorize`,
			token_endpoint: `${origin}/token`,
			registration_endpoint: `${origin}/register`,
			response_types_supported: ["code"],
			code_challenge_methods_supported: ["S256"],
			token_endpoint_auth_methods_supported: ["none"],
			...metadata,
		}),
		"/register": json({ client_id: "parley", redirect_uris: [redirectUrl] }),
		"/token": json({ ...honestTokens, ...tokens }),
	};
	return { url: `${origin}/mcp`, paths };
}

async function outcome(url: string, more: Partial<LoginOptions> = {}): Promise<string> {
	try {
		const pending = await begin(remoteAt(url), more);
		const state = pending.url.searchParams.get("state") ?? "";
		await pending.finish(new URLSearchParams({ state, code: "a-code" }));
		return "logged in";
	} catch (error) {
		return error instanceof Error ? error.message : "";
	}
}

test("an honest server gets a login", async () => {
	const { url, paths } = await openLiar({});
	await expect(outcome(url)).resolves.toBe("logged in");
	expect(paths.at(-1)).toBe("/token");
});

test.for<[string, Lies, string]>([
	[
		"metadata of another issuer",
		{ metadata: { issuer: "https://bank.example" } },
		"belongs to another authorization",
	],
	["no PKCE", { metadata: { code_challenge_methods_supported: undefined } }, "does not support PKCE"],
	["only plain PKCE", { metadata: { code_challenge_methods_supported: ["plain"] } }, "does not support PKCE"],
	["another resource", { resource: { resource: "https://bank.example/" } }, "login for another resource"],
	[
		"a script as the address",
		{ metadata: { authorization_endpoint: "javascript:alert(1)" } },
		"an invalid response",
	],
	[
		"a file as the address",
		{ metadata: { authorization_endpoint: "file:///etc/passwd" } },
		"does not begin with https://",
	],
	[
		"a token endpoint without TLS",
		{ metadata: { token_endpoint: "http://bank.example/token" } },
		"does not begin with https://",
	],
	[
		"no registration",
		{ metadata: { registration_endpoint: undefined } },
		"repeat the login with --client-id",
	],
	["a short token", { tokens: { access_token: "function" } }, "does not have 16 to 16384 visible characters"],
	[
		"a token with a line break",
		{ tokens: { access_token: `${"a".repeat(20)}\r\nx: y` } },
		"visible characters",
	],
	["a token of another type", { tokens: { token_type: "DPoP" } }, "not a bearer token"],
	[
		"a short secret of the client",
		{
			answers: {
				"/register": json({ client_id: "parley", client_secret: "that", redirect_uris: [redirectUrl] }),
			},
		},
		"a client secret that does not have 16 to 16384 visible characters",
	],
	["no token", { tokens: { access_token: undefined } }, "an invalid response"],
	[
		"no metadata",
		{ answers: { "/.well-known/oauth-authorization-server": (one) => one.writeHead(404).end() } },
		"no login",
	],
	[
		"a page as metadata",
		{ answers: { "/.well-known/oauth-authorization-server": (one) => one.end("<html>") } },
		"an invalid response",
	],
	[
		"an error with a secret in it",
		{
			answers: {
				"/token": (one) => {
					const text = { error: "invalid_request", error_description: "a-code was sent with the verifier" };
					one.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(text));
				},
			},
		},
		"the authorization server refused the request (invalid_request)",
	],
])("a server with %s gets no login", async ([, faults, problem]) => {
	const { url } = await openLiar(faults);
	const text = await outcome(url);
	expect(text).toContain(problem);
	expect(text).not.toContain("a-code");
});

test("no metadata, redirect or endpoint leads to a private address other than the address of the server", async () => {
	const inside = await openLiar({});
	// Another name of the same machine counts as a different host.
	const target = inside.url.replace("127.0.0.1", "localhost").replace("/mcp", "");
	const redirect: Answer = (response) => response.writeHead(302, { location: `${target}/` }).end();
	const challenge: Answer = (response) =>
		response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${target}/metadata"` }).end();
	const faults: readonly Lies[] = [
		{ answers: { "/mcp": challenge } },
		{ answers: { "/mcp": redirect } },
		{ resource: { authorization_servers: [target] } },
		{ answers: { "/.well-known/oauth-protected-resource/mcp": redirect } },
		{ answers: { "/.well-known/oauth-authorization-server": redirect } },
		{ metadata: { registration_endpoint: `${target}/register` } },
		{ metadata: { token_endpoint: `${target}/token` } },
		{ answers: { "/token": redirect } },
		{ answers: { "/register": redirect } },
	];
	const outcomes: string[] = [];
	for (const one of faults) outcomes.push(await outcome((await openLiar(one)).url));
	// If the resource metadata cannot be read, the server itself may be the authorization server.
	expect(outcomes.filter((text) => text === "logged in")).toHaveLength(2);
	expect(inside.paths).toEqual([]);
});

test("a host that the operator names may have a private address", async () => {
	const { url } = await openLiar({});
	const origin = url.replace("127.0.0.1", "localhost").replace("/mcp", "");
	const { url: other } = await openLiar({ resource: { authorization_servers: [origin] } });
	await expect(outcome(other)).resolves.toMatch(/is not an https address, .*: use an https address$/);
	// The metadata at `localhost` names 127.0.0.1 as its issuer, which does not match.
	await expect(outcome(other, { privateHosts: ["localhost"] })).resolves.toContain(
		"another authorization server",
	);
	const withTls = { authorization_servers: [origin.replace("http:", "https:")] };
	const { url: third } = await openLiar({ resource: withTls });
	await expect(outcome(third)).resolves.toContain(
		"use another host, or, if you trust this host, log in again with --private-host localhost",
	);
});

test("a login at a public address does not begin at a private one", async () => {
	const { url, paths } = await openLiar({});
	await expect(begin(remoteAt(url, { allowPrivate: false }))).rejects.toThrow("is not an https address");
	await expect(begin(remoteAt(url.replace("http:", "https:"), { allowPrivate: false }))).rejects.toThrow(
		"is not on the public internet",
	);
	expect(paths).toEqual([]);
});

test("endless metadata and endless redirects are cut", async () => {
	const endless: Answer = (response) => {
		const more = (): void => {
			while (response.write("x".repeat(64 * 1024)));
			response.once("drain", more);
		};
		more();
	};
	const path = "/.well-known/oauth-authorization-server";
	const long = await openLiar({ answers: { [path]: endless } });
	await expect(outcome(long.url)).resolves.toContain("sent more than 262144 bytes");
	const around: Answer = (response) => response.writeHead(302, { location: path }).end();
	const round = await openLiar({ answers: { [path]: around } });
	await expect(outcome(round.url)).resolves.not.toBe("logged in");
	expect(round.paths.length).toBeLessThan(60);
});

test("a server that does not answer ends the login after 20 s", async () => {
	const path = "/.well-known/oauth-authorization-server";
	for (const part of ["", "{"]) {
		const clock = new ManualClock();
		const reached = Promise.withResolvers<void>();
		const slow: Answer = (response) => {
			if (part !== "") response.write(part);
			reached.resolve();
		};
		const { url } = await openLiar({ answers: { [path]: slow } });
		const ended = outcome(url, { clock });
		await reached.promise;
		clock.advance(21_000);
		await expect(ended).resolves.toContain("took longer than 20 s");
	}
});
