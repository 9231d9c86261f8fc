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
		envFrom: ["NOTES_TOKEN", "ABSENT"],
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
			read: [],
			write: [expect.stringMatching(/^\/.*\/notes$/)],
			timeoutMs: 120_000,
		},
	]);
	const named = load({ mcp: { servers: { a: { command: "notes", timeoutSeconds: 5 } } } }).mcp;
	expect(named).toMatchObject([{ command: "notes", timeoutMs: 5_000, environment: {} }]);
});

test.each<[object, RegExp]>([
	[{ Notes: { command: "x" } }, /names of servers: 1 to 32 lower-case letters, digits and -/],
	[{ a__b: { command: "x" } }, /names of servers/],
	[{ a: {} }, /mcp\.servers\.a\.command/],
	[{ a: { command: "x", url: "y" } }, /unknown setting "mcp\.servers\.a\.url"/],
	[{ a: { command: "x", read: ["nowhere"] } }, /mcp\.servers\.a\.read.*allowed: a path that exists/],
	[{ a: { command: "x", envFrom: ["A=B"] } }, /the name of a variable such as GITHUB_TOKEN/],
	[{ a: { command: "x", timeoutSeconds: 0 } }, /a whole number from 1 to 3600/],
])("%j is refused with the allowed values", (servers, message) => {
	expect(() => load({ mcp: { servers } })).toThrow(message);
});
