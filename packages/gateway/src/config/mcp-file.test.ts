import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defined, Redactor, systemClock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "./load.ts";
import { McpFiles, readMcpFile, writeMcpFile } from "./mcp-file.ts";
import { openMcp } from "./open-mcp.ts";

async function open(configured: readonly string[] = [], changed?: () => Promise<void>) {
	const data = await mkdtemp(join(tmpdir(), "parley-mcp-file-"));
	onTestFinished(() => rm(data, { recursive: true, force: true }));
	const log = new MemoryLogger();
	const redactor = new Redactor();
	const path = join(data, "mcp.json");
	const facts = { args: [], environment: {}, secrets: [], read: [], write: [], hosts: [], timeoutMs: 1_000 };
	const files = new McpFiles({
		path,
		logins: join(data, "mcp-logins.json"),
		configured: configured.map((name) => ({ name, command: "configured", ...facts })),
		environment: { NOTES_TOKEN: "a-secret-token" },
		log,
		redactor,
		...defined({ changed }),
	});
	return { data, path, log, redactor, files };
}

async function put(path: string, content: object): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, JSON.stringify(content));
}

test("without files there are no servers, and the lookup returns no promise", async () => {
	const { files } = await open();
	expect(files.current("default")).toEqual({ servers: [], trusted: [] });
});

test("a change to the file applies at the next lookup, and the configuration has precedence over the file", async () => {
	const { files, path, redactor } = await open(["notes"]);
	await put(path, {
		servers: { notes: { command: "other" }, tracker: { command: "tracker", envFrom: ["NOTES_TOKEN"] } },
	});
	const { servers } = await files.current("default");
	expect(servers).toMatchObject([
		{ name: "notes", command: "configured" },
		{ name: "tracker", environment: { NOTES_TOKEN: "a-secret-token" } },
	]);
	expect(redactor.redact("it is a-secret-token")).not.toContain("a-secret-token");
	expect((await files.current("default")).servers).toBe(servers);
	await writeMcpFile(path, { servers: {}, trusted: [] });
	expect((await files.current("default")).servers).toMatchObject([{ name: "notes" }]);
});

test("while the audit cannot be written, servers that a change removes end, and servers that a change adds wait", async () => {
	let isFull = false;
	const { files, path, data } = await open(["notes"], () =>
		isFull ? Promise.reject(new Error("the disk is full")) : Promise.resolve(),
	);
	const trusted = [{ directory: data, file: "0".repeat(64), servers: { a: { program: "/bin/sh" } } }];
	const [stays, wide] = [{ command: "stays" }, { command: "wide", read: [data] }];
	const narrow = { ...wide, read: [] };
	await put(path, { servers: { gone: stays, stays, wide }, trusted });
	const namesOf = async () => {
		const setup = await files.current("default");
		return [setup.servers.map(({ name }) => name), setup.trusted.map(({ name }) => name)];
	};
	await expect(namesOf()).resolves.toEqual([["notes", "gone", "stays", "wide"], ["a"]]);
	isFull = true;
	await put(path, { servers: { stays, wide: narrow, added: stays } });
	await expect(namesOf()).resolves.toEqual([["notes", "stays"], []]);
	await writeFile(path, "nonsense");
	await expect(namesOf()).resolves.toEqual([["notes"], []]);
	isFull = false;
	await put(path, { servers: { stays, wide: narrow, added: stays } });
	await expect(namesOf()).resolves.toEqual([["notes", "stays", "wide", "added"], []]);
});

test("an invalid file grants nothing, and the log has the reason", async () => {
	const { files, path, log } = await open(["notes"]);
	await put(path, { servers: { other: { command: "x", url: "https://x.test/" } } });
	await expect(files.current("default")).resolves.toMatchObject({
		servers: [{ name: "notes" }],
		trusted: [],
	});
	expect(log.records).toMatchObject([{ level: "error" }]);
	await expect(readMcpFile(path)).rejects.toThrow(/mcp\.json is not valid: .*a command with args/s);
});

test("only the agent of a profile has the servers in the profile's directory, and these servers never replace others", async () => {
	const { files, data } = await open(["notes"]);
	const own = { servers: { notes: { command: "x" }, garden: { command: "garden" } } };
	await put(join(data, "agents/helper/mcp.json"), own);
	expect((await files.current("helper")).ofAgent).toMatchObject([{ name: "garden" }]);
	expect((await files.current("default")).ofAgent).toBeUndefined();
	expect((await files.current("../agents/helper/../helper")).ofAgent).toMatchObject([{ name: "garden" }]);
});

test("a server or a trust with a path that does not exist, or without its variable, has a problem", async () => {
	const { files, path, data } = await open();
	const lost = join(data, "lost");
	const hash = "0".repeat(64);
	const program = "/bin/sh";
	const servers = {
		a: { program, read: [lost] },
		b: { program, envFrom: ["ABSENT"] },
		c: { program },
	};
	await put(path, {
		servers: { notes: { command: "x", write: [lost] } },
		trusted: [{ directory: data, file: hash, servers }],
	});
	const setup = await files.current("default");
	expect(setup.servers).toMatchObject([
		{
			problem: `its path ${lost} does not exist or is not accessible: create it, or correct the path or its permissions`,
		},
	]);
	expect(setup.trusted.map(({ problem }) => problem)).toEqual([
		`its path ${lost} does not exist or is not accessible: create it, or correct the path or its permissions`,
		"the environment of the gateway does not contain ABSENT: add the missing variable and restart the gateway",
		undefined,
	]);
});

test("a gateway gives its own variables, which include stored keys, to the servers that name them", async () => {
	const { data, path, log, redactor } = await open();
	await put(path, { servers: { tracker: { command: "tracker", envFrom: ["STORED_TOKEN"] } } });
	const environment = { STORED_TOKEN: "a-stored-token" };
	const { source } = openMcp({
		config: loadConfig({ flags: { data }, environment, cwd: data, defaultData: data }),
		environment,
		version: "",
		clock: systemClock,
		log,
		redactor,
	});
	expect((await source.current("default")).servers).toMatchObject([{ name: "tracker", environment }]);
});
