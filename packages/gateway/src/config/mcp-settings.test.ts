import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Config, loadConfig } from "./load.ts";

function load(file: object, environment: Readonly<Record<string, string>> = {}): Config {
	using data = mkdtempDisposableSync(join(tmpdir(), "parley-mcp-"));
	mkdirSync(join(data.path, "notes"));
	writeFileSync(join(data.path, "parley.config.json"), JSON.stringify(file));
	return loadConfig({ flags: {}, environment, cwd: "/", defaultData: data.path });
}

test("a server has defaults, absolute paths and only the variables that the operator names", () => {
	const server = {
		command: "bin/notes",
		write: ["notes"],
		env: { LEVEL: "1" },
		envFrom: ["NOTES_TOKEN"],
	};
	const { mcp } = load(
		{ mcp: { servers: { notes: server } } },
		{ NOTES_TOKEN: "secret", ANTHROPIC_API_KEY: "k" },
	);
	expect(mcp).toEqual([
		{
			name: "notes",
			command: expect.stringMatching(/^\/.*\/bin\/notes$/),
			args: [],
			environment: { NOTES_TOKEN: "secret", LEVEL: "1" },
			secrets: ["secret"],
			hosts: [],
			read: [],
			write: [expect.stringMatching(/^\/.*\/notes$/)],
			timeoutMs: 120_000,
		},
	]);
	const named = load({ mcp: { servers: { a: { command: "notes", timeoutSeconds: 5 } } } }).mcp;
	expect(named).toMatchObject([{ command: "notes", timeoutMs: 5_000, environment: {} }]);
	const remote = { url: "https://x.test/mcp", tokenFrom: "NOTES_TOKEN" };
	expect(load({ mcp: { servers: { a: remote } } }, { NOTES_TOKEN: "secret" }).mcp).toMatchObject([
		{
			url: remote.url,
			headers: { authorization: "Bearer secret" },
			secrets: ["secret"],
			allowPrivate: false,
		},
	]);
});

test.each([
	{ command: "notes", envFrom: ["ABSENT"] },
	{ url: "https://x.test/mcp", tokenFrom: "ABSENT" },
])("a server whose variable is missing has this as its problem: %j", (server) => {
	const [read] = load({ mcp: { servers: { notes: server } } }).mcp ?? [];
	expect(read?.problem).toBe(
		"the environment of the gateway does not contain ABSENT: add the missing variable and restart the gateway",
	);
});

test.each<[object, RegExp]>([
	[{ Notes: { command: "x" } }, /names of servers: 1 to 32 lower-case letters, digits and hyphens/],
	[{ a__b: { command: "x" } }, /names of servers/],
	[{ a: {} }, /mcp\.servers\.a .*allowed: a command with args, .*, or a url with/],
	[
		{ a: { command: "x", url: "https://x.test/" } },
		/allowed: a command with args, .*, or a url .*but not both/,
	],
	[{ a: { url: "https://me@x.test/" } }, /mcp\.servers\.a\.url .*allowed: an https address/],
	[{ a: { command: "x", read: ["nowhere"] } }, /mcp\.servers\.a\.read.*allowed: a path that exists/],
	[{ a: { command: "x", envFrom: ["A=B"] } }, /the name of a variable such as GITHUB_TOKEN/],
	[{ a: { command: "x", timeoutSeconds: 0 } }, /a whole number from 1 to 3600/],
])("%j is refused with the allowed values", (servers, message) => {
	expect(() => load({ mcp: { servers } })).toThrow(message);
});

test("forms of the MCP server need the operator's setting", () => {
	expect(load({}).mcpForms).toBeUndefined();
	expect(load({ mcp: { approvalForms: true } }).mcpForms).toBe(true);
	expect(() => load({ mcp: { approvalForms: "yes" } })).toThrow(
		/mcp\.approvalForms .*allowed: true or false/,
	);
});
