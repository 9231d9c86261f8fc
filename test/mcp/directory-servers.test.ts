import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { programOf, readDirectoryFile, type TrustedMcpServer } from "@parley/core";
import { says } from "@parley/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { answer, callsOnce, type McpScene, openScene, outcomeOf, resultsIn, scripted } from "./scene.ts";
import { TestSource } from "./test-source.ts";

const server = join(import.meta.dirname, "scripted-server.ts");

async function openWith(
	source: TestSource,
	replies = callsOnce("local__echo", { text: "hi" }),
): Promise<McpScene> {
	return openScene([], replies, { mcp: { source, version: "1" } });
}

/**
 * Writes `.mcp.json` with a local and a remote server. Returns the path of the file that records the starts of the
 * local server.
 */
async function put({ t }: McpScene, command = process.execPath, more: object = {}): Promise<string> {
	const starts = join(t.directory, "starts");
	const args = [server, `--starts=${starts}`];
	const file = {
		mcpServers: { local: { command, args, ...more }, remote: { url: "https://example.com/mcp" } },
	};
	await writeFile(join(t.directory, "work/.mcp.json"), JSON.stringify(file));
	return starts;
}

/** Returns the trust that `parley mcp trust` stores. */
async function trustIn({ t }: McpScene): Promise<TrustedMcpServer[]> {
	const directory = join(t.directory, "work");
	const file = await readDirectoryFile(directory);
	const rights = { environment: {}, secrets: [], read: [], write: [], hosts: [] };
	return Promise.all(
		(file?.entries ?? []).flatMap((entry) => {
			const facts = { ...rights, directory, file: file?.hash ?? "", name: entry.name };
			return "url" in entry
				? []
				: [programOf(entry, directory).then((program) => ({ ...facts, ...program }))];
		}),
	);
}

async function startsIn(file: string): Promise<number> {
	const text = await readFile(file, "utf8").catch(() => "");
	return text.split("\n").length - 1;
}

async function toolsAfter(s: McpScene): Promise<string[]> {
	await s.t.send(s.session, "go");
	await s.log.next("assistant.message");
	const tools = s.model.requests.at(-1)?.tools ?? [];
	return tools.map(({ name }) => name).filter((name) => name.includes("__"));
}

test("a server of a directory starts only after the operator trusts it, and its rules have another name", async () => {
	const source = new TestSource();
	await using s = await openWith(source, [[says("one")], ...callsOnce("local__echo", { text: "hi" })]);
	const starts = await put(s);
	await expect(toolsAfter(s)).resolves.toEqual([]);
	await expect(startsIn(starts)).resolves.toBe(0);
	source.setup = { servers: [], trusted: await trustIn(s) };
	await expect(outcomeOf(s)).resolves.toContain("echo: hi");
	await expect(startsIn(starts)).resolves.toBe(1);
	expect(s.t.runtime.mcp.problems).toEqual([]);
});

test("trust ends with a change to the file", async () => {
	const source = new TestSource();
	await using s = await openWith(source, [[says("one")], [says("two")]]);
	await put(s);
	source.setup = { servers: [], trusted: await trustIn(s) };
	await expect(toolsAfter(s)).resolves.toContain("local__echo");
	const starts = await put(s, process.execPath, { env: { A: "1" } });
	const before = await startsIn(starts);
	await expect(toolsAfter(s)).resolves.toEqual([]);
	await expect(startsIn(starts)).resolves.toBe(before);
	expect(s.t.runtime.mcp.problems.join()).toContain(
		"local: .mcp.json has changed. Review the server, then trust it with `parley mcp trust",
	);
});

test("trust ends with a change of a program in the directory, or of the place to which its command leads", async () => {
	const source = new TestSource();
	await using s = await openWith(source, [[says("one")], [says("two")], [says("three")]]);
	const program = join(s.t.directory, "work/bin/local");
	await mkdir(dirname(program));
	await writeFile(program, `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
	await chmod(program, 0o755);
	await put(s, "./bin/local");
	source.setup = { servers: [], trusted: await trustIn(s) };
	await expect(toolsAfter(s)).resolves.toContain("local__echo");
	await writeFile(program, "#!/bin/sh\nexec cat\n");
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain("local: its program has changed");
	await copyFile("/bin/true", program);
	source.setup = {
		...source.setup,
		trusted: source.setup.trusted.map((one) => ({ ...one, program: "/bin/true" })),
	};
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain("local: its command now starts another program");
});

test("a server of a directory starts in the directory, so that relative arguments refer to it", async () => {
	const source = new TestSource();
	await using s = await openWith(source);
	const directory = join(s.t.directory, "work");
	await copyFile(server, join(directory, "server.ts"));
	const file = { mcpServers: { local: { command: process.execPath, args: ["server.ts"] } } };
	await writeFile(join(directory, ".mcp.json"), JSON.stringify(file));
	source.setup = { servers: [], trusted: await trustIn(s) };
	await expect(outcomeOf(s)).resolves.toContain("echo: hi");
});

test("no server of a directory starts after the end of the runtime", async () => {
	const source = new TestSource();
	await using s = await openWith(source);
	const starts = await put(s);
	source.setup = { servers: [], trusted: await trustIn(s) };
	const { mcp } = s.t.runtime;
	const tools = mcp.tools(join(s.t.directory, "work"), "default");
	// After these two microtasks, the source has answered and the trust check is pending.
	await Promise.resolve();
	await Promise.resolve();
	await mcp.close();
	await expect(tools).resolves.toEqual([]);
	await expect(startsIn(starts)).resolves.toBe(0);
});

test("a server of a directory never replaces one of the operator", async () => {
	const source = new TestSource();
	await using s = await openWith(source, callsOnce("local__echo", { text: "hi" }));
	await put(s);
	source.setup = { servers: [scripted([], { name: "local" })], trusted: await trustIn(s) };
	await expect(outcomeOf(s)).resolves.toContain("echo: hi");
	expect(s.t.runtime.mcp.states).toHaveLength(1);
	expect(s.t.runtime.mcp.problems).toEqual([
		"local: not used, because a server of the operator has the same name: rename the server in .mcp.json",
	]);
});

test.each([
	["local__*", true],
	["directory:local__*", false],
])(
	"with a rule that allows %s, a call of the server of a directory requires approval: %s",
	async (tool, requiresApproval) => {
		const directory = await mkdtemp(join(tmpdir(), "parley-mcp-"));
		onTestFinished(() => rm(directory, { recursive: true, force: true }));
		const file = join(directory, "policy.jsonc");
		await writeFile(file, JSON.stringify({ rules: [{ effect: "allow", tool, when: { class: "mcp" } }] }));
		const source = new TestSource();
		const options = { mcp: { source, version: "1" }, policy: { file } };
		await using s = await openScene([], callsOnce("local__echo", { text: "hi" }), options);
		await put(s);
		source.setup = { servers: [], trusted: await trustIn(s) };
		await s.t.send(s.session, "go");
		if (requiresApproval) await answer(s);
		await s.log.next("assistant.message");
		expect(s.log.recorded.includes("prompt.requested")).toBe(requiresApproval);
		expect(resultsIn(s.model)[0]).toContain("echo: hi");
	},
);

test("a server of a directory gets the variables of its file, and no other of the gateway", async () => {
	vi.stubEnv("GATEWAY_TOKEN", "hidden");
	onTestFinished(() => void vi.unstubAllEnvs());
	const source = new TestSource();
	await using s = await openWith(source);
	await put(s, process.execPath, { args: [server, "shows-variables"], env: { LEVEL: "1" } });
	source.setup = { servers: [], trusted: await trustIn(s) };
	const names = await outcomeOf(s);
	expect(names).toMatch(/\bLEVEL\b/);
	expect(names).not.toContain("GATEWAY_TOKEN");
});

test("a program that cannot be used is a problem with its reason", async () => {
	const source = new TestSource();
	await using s = await openWith(source, [[says("one")]]);
	const program = join(s.t.directory, "work/local");
	await writeFile(program, "#!/bin/sh\n", { mode: 0o755 });
	await put(s, "./local");
	source.setup = { servers: [], trusted: await trustIn(s) };
	await chmod(program, 0o644);
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toMatch(
		/local: its program cannot be used: there is no executable program /,
	);
});

test.each(["NODE_OPTIONS", "LD_PRELOAD", "BASH_ENV", "PATH"])(
	"a file cannot set the variable %s, which controls programs",
	async (name) => {
		await using s = await openWith(new TestSource());
		await put(s, process.execPath, { env: { LEVEL: "1", [name]: "x" } });
		const file = await readDirectoryFile(join(s.t.directory, "work"));
		expect(file?.entries.map((one) => one.name)).toEqual(["remote"]);
		expect(file?.refused.get("local")).toBe(
			`local: the variable ${name} can make a program run other code: remove it from \`env\``,
		);
	},
);

test("a file with an invalid form is a problem and no error of a run", async () => {
	const source = new TestSource();
	await using s = await openWith(source, [[says("one")]]);
	await put(s);
	source.setup = { servers: [], trusted: await trustIn(s) };
	await writeFile(join(s.t.directory, "work/.mcp.json"), '{"mcpServers": 7}');
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems.join()).toContain(".mcp.json is not valid");
});

test.each(["is missing", "is a link"])("a trusted server whose file %s is a problem", async (state) => {
	const source = new TestSource();
	await using s = await openWith(source, [[says("one")]]);
	await put(s);
	source.setup = { servers: [], trusted: await trustIn(s) };
	const file = join(s.t.directory, "work/.mcp.json");
	await rename(file, join(s.t.directory, "work/other.json"));
	if (state === "is a link") await symlink("other.json", file);
	await expect(toolsAfter(s)).resolves.toEqual([]);
	expect(s.t.runtime.mcp.problems).toEqual([
		"local: not used, because .mcp.json does not exist, cannot be read, or is a link: restore the file",
	]);
});
