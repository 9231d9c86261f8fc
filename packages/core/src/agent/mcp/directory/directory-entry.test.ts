import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readEntry, trustNeed, variablesOf } from "./directory-entry.ts";
import { readDirectoryFile } from "./directory-file.ts";

const url = "https://mcp.example.com/mcp";

async function directoryWith(text: string): Promise<string> {
	const directory = await mkdtemp(join(tmpdir(), "parley-mcp-entry-"));
	onTestFinished(() => rm(directory, { recursive: true, force: true }));
	await writeFile(join(directory, ".mcp.json"), text);
	return directory;
}

test.each([
	["Claude Code", { type: "http", url, headers: { Authorization: `Bearer \${TOKEN}` } }],
	[
		"Claude Code, with the alias of the type,",
		{ type: "streamable-http", url, headers: { Authorization: `Bearer \${TOKEN}` } },
	],
	["Cursor", { url, headers: { Authorization: `Bearer \${env:TOKEN}` } }],
])("an entry in the format of %s is read as a remote server", (_, written) => {
	const entry = readEntry("tracker", written);
	expect(entry).toEqual({
		name: "tracker",
		url,
		headers: { authorization: written.headers.Authorization },
		unused: [],
	});
	expect(variablesOf(entry)).toEqual(["TOKEN"]);
});

test("fields without an effect are named, also in entries of programs", () => {
	const remote = readEntry("a", { url, headersHelper: "./x.sh", oauth: {}, env: {}, "\u202e": 1 });
	expect(remote.unused).toEqual(["headersHelper", "oauth", "env", "\\u{202e}"]);
	const program = readEntry("a", { type: "stdio", command: "sh", cwd: "/", headers: {} });
	expect(program.unused).toEqual(["cwd", "headers"]);
});

test("the host of an address is shown in ASCII", () => {
	expect(readEntry("a", { url: "https://\u0430pple.com/mcp?x=\u202e" })).toMatchObject({
		url: "https://xn--pple-43d.com/mcp?x=%E2%80%AE",
	});
});

const headers = (given: object) => ({ url, headers: given });

test.each([
	[{ type: "sse", url }, "its type `sse` is the old transport of MCP"],
	[{ type: "ws", url }, "its type ws is unknown"],
	[{ type: "http" }, "its type `http` needs the field `url`: add the field"],
	[{ type: "stdio", url }, "its type `stdio` needs the field `command`: add the field"],
	[{ type: "http", command: "sh" }, "its type `http` needs the field `url`: add the field"],
	[{ command: "sh", url }, "it has both a `command` and a `url`"],
	[{}, "it has neither a `command` nor a `url`: add one of them"],
	[7, "its entry is not valid"],
	[null, "its entry is not valid"],
	[{ url: 7 }, "its field `url` is not valid"],
	[{ url, headers: { a: 7 } }, "its field `headers.a` is not valid"],
	[
		{ url: "mcp.example.com" },
		"its address is not valid: use an http or https address such as https://mcp.example.com/mcp",
	],
	[
		{ url: "file:///etc/passwd" },
		"its address is not valid: use an http or https address such as https://mcp.example.com/mcp",
	],
	[{ url: `https://\${HOST}/mcp` }, "its address contains a variable"],
	[{ url: "https://user:pass-word@mcp.example.com/" }, "its address contains a user name or a password"],
	[{ url: `${url}#x` }, "its address contains #"],
	[
		{ url: `${url}?${"x".repeat(2_000)}` },
		"its address is longer than 2000 characters: use a shorter address",
	],
	[
		{ url: `${url}?${"ä".repeat(1_000)}` },
		"its address is longer than 2000 characters: use a shorter address",
	],
	[
		headers({ "X Key": "a" }),
		"the header name X Key is not valid: use at most 100 letters, digits and hyphens",
	],
	[headers({ "X-Key\r\nHost": "a" }), "is not valid: use at most 100 letters, digits and hyphens"],
	[headers({ Host: "other.example" }), "the header Host is set by Parley"],
	[headers({ "Mcp-Session-Id": "a" }), "the header Mcp-Session-Id is set by Parley"],
	[headers({ "X-Key": "a\r\nHost: other" }), "the header X-Key has a value with invalid characters"],
	[headers({ "X-Key": "a", "x-key": "b" }), "the header x-key occurs twice: remove one of them"],
	[
		headers({ "X-Key": "x".repeat(9_000) }),
		"its headers have more than 8192 characters in total: remove or shorten some",
	],
	[
		headers({ "X-Key": `\${input:key}` }),
		`the header X-Key contains \${input:key}, which Parley does not replace`,
	],
	[
		headers({ "X-Key": `\${A:-\${B}}` }),
		`the header X-Key contains \${A:-\${B}, which Parley does not replace`,
	],
	[headers({ "X-Key": `\${A` }), `the header X-Key contains \${A, which Parley does not replace`],
	[headers({ "X-Key": `\${}` }), `the header X-Key contains \${}`],
] as const)("the entry %j is refused with its reason, which shows no password", (written, reason) => {
	expect(() => readEntry("a", written)).toThrow(reason);
	expect(() => readEntry("a", written)).not.toThrow("pass-word");
});

test("a variable without a default needs a grant, and so does an address without TLS", () => {
	const entry = readEntry("a", {
		url: "http://127.0.0.1/",
		headers: { a: `\${A} \${B:-b} \${A}`, b: `\${C}` },
	});
	expect(trustNeed(entry, { allowPrivate: false, variables: [] })).toContain("--allow-private");
	const need = trustNeed(entry, { allowPrivate: true, variables: ["B"] });
	expect(need).toBe(
		"its headers need environment variables of the gateway (A, C): grant each of them, for example with --server a --env-from A",
	);
	expect(trustNeed(entry, { allowPrivate: true, variables: ["A", "C"] })).toBeUndefined();
});

test("an entry that cannot be used does not affect the others of its file", async () => {
	const mcpServers = { good: { url }, read_file: { url }, bad: { url: 7 }, "\u001b[2J": { url } };
	const file = await readDirectoryFile(await directoryWith(JSON.stringify({ mcpServers })));
	expect(file?.entries.map(({ name }) => name)).toEqual(["good"]);
	expect([...(file?.refused.values() ?? [])]).toEqual([
		"read_file: its name is not valid: use 1 to 32 lower-case letters, digits and hyphens, with a letter or digit at both ends",
		expect.stringContaining("bad: its field `url` is not valid"),
		"\\u{1b}[2J: its name is not valid: use 1 to 32 lower-case letters, digits and hyphens, with a letter or digit at both ends",
	]);
});

test.each([
	["{", ".mcp.json is not valid"],
	['{"mcpServers":{"a":{"url":"https://a.example/"},"a":{"url":"https://b.example/"}}}', "is not valid"],
	[
		'{"servers":{}}',
		".mcp.json is not valid: mcpServers: expected record, received undefined; correct the file",
	],
	[`{"mcpServers":{}}${" ".repeat(256 * 1024)}`, "is larger than 262144 bytes"],
	[`{"mcpServers":${"[".repeat(100_000)}`, ".mcp.json is not valid"],
])("the file %.60s is refused", async (text, reason) => {
	await expect(readDirectoryFile(await directoryWith(text))).rejects.toThrow(reason);
});

test("a link instead of the file is not followed", async () => {
	const directory = await directoryWith("{}");
	const other = await mkdtemp(join(tmpdir(), "parley-mcp-entry-"));
	onTestFinished(() => rm(other, { recursive: true, force: true }));
	await symlink(join(directory, ".mcp.json"), join(other, ".mcp.json"));
	await expect(readDirectoryFile(other)).resolves.toBeUndefined();
});
