import { existsSync } from "node:fs";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUnsandboxed } from "../../sandbox/commands/unsandboxed.ts";
import { createDirectory, createToolContext, readyCall } from "../../testing/tool-context.ts";
import type { Command, CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import type { SharedFilesFacts, ToolContext } from "../../vocabulary/tool.ts";
import { executeCall, prepareCall } from "../calls/tool-call.ts";
import { runCommand } from "./run-command.ts";
import { changedNames, differences } from "./surroundings.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;

beforeAll(async () => {
	directory = await createDirectory();
	const cwd = join(directory.path, "work");
	await mkdir(cwd);
	context = createToolContext(cwd, {
		sandbox: createUnsandboxed({ environment: process.env, clock: systemClock, ids: createIds() }),
		forbidden: [join(directory.path, "data")],
	});
});
afterAll(() => directory[Symbol.asyncDispose]());

const prepare = (args: object, where = context) => readyCall(runCommand, args, where);

async function run(cmd: string, where = context) {
	return executeCall(await prepare({ cmd }, where), where);
}

function ending(outcome: Partial<CommandOutcome>, commands: Command[] = []): Sandbox {
	return {
		mode: "bubblewrap",
		run: async (command) => {
			commands.push(command);
			return { code: 0, signal: null, output: "", timedOut: false, ...outcome };
		},
		profile: "test",
		environment: {},
		network: undefined,
	};
}

test("without a sandbox a command has that class, its facts, and no grant", async () => {
	const { plan } = await prepare({ cmd: "ls -la" });
	expect(plan).toEqual({
		label: "run ls -la",
		classes: ["exec-unsandboxed"],
		preview: "",
		binding: {
			directory: expect.stringMatching(new RegExp(`^${context.cwd} \\d+:\\d+$`)),
			executable: expect.stringMatching(/^\/.+ \d+:\d+ sha256:/),
			environment: expect.stringMatching(/^[0-9a-f]{64}$/),
			sandbox: "off",
		},
		usualNotes: [`in ${context.cwd}`],
		notes: [
			`in ${context.cwd}`,
			"sandbox: off — commands have your permissions: files, network, this gateway",
		],
		bind: expect.any(Function),
	});
});

test("in a sandbox a command has another class", async () => {
	const { plan } = await prepare({ cmd: "ls" }, { ...context, sandbox: ending({}) });
	expect(plan.classes).toEqual(["exec-sandboxed"]);
	expect(plan.notes).toContain("sandbox: bubblewrap — no network, and only files in the roots");
	expect(plan.usualNotes).toContain("sandbox: bubblewrap — no network, and only files in the roots");
});

test("a command that needs the network leaves the sandbox and always requires approval", async () => {
	const [outside, inside]: [Command[], Command[]] = [[], []];
	const network: Sandbox = { ...ending({}, outside), mode: "off", profile: "off" };
	const where = { ...context, sandbox: { ...ending({}, inside), network } };
	const ready = await prepare({ cmd: "npm install", network: true }, where);
	expect(ready.plan.classes).toEqual(["exec-unsandboxed", "egress", "control"]);
	expect(ready.plan.notes.slice(1, 3)).toEqual([
		"sandbox: off — commands have your permissions: files, network, this gateway",
		"it requests the network, and runs outside the sandbox of this session",
	]);
	await executeCall(ready, where);
	expect([outside.length, inside.length]).toEqual([1, 0]);
	const plain = await prepare({ cmd: "curl x", network: true });
	expect(plain.plan.classes).toEqual(["exec-unsandboxed", "egress"]);
});

test("a command that needs the network stays in the sandbox if the operator has named hosts", async () => {
	const [outside, inside]: [Command[], Command[]] = [[], []];
	const hosts = ["packages.example.org", "*.example.com"];
	const sandbox: Sandbox = {
		...ending({}),
		egress: { ...ending({}, inside), profile: "with hosts", hosts },
		network: { ...ending({}, outside), mode: "off" },
	};
	const where = { ...context, sandbox };
	const ready = await prepare({ cmd: "npm install", network: true }, where);
	expect(ready.plan.classes).toEqual(["exec-sandboxed", "egress"]);
	expect(ready.plan.notes.slice(1)).toEqual([
		"sandbox: bubblewrap — network only to packages.example.org, *.example.com by https, and only files in the roots",
	]);
	expect(ready.plan.binding).toMatchObject({ sandbox: "with hosts" });
	await executeCall(ready, where);
	expect(inside).toEqual([expect.objectContaining({ callId: context.callId })]);
	expect(outside).toEqual([]);
	expect((await prepare({ cmd: "ls" }, where)).plan.classes).toEqual(["exec-sandboxed"]);
});

test("with a required sandbox, a command without one or with a network is refused", async () => {
	const closed = { ...context, sandbox: ending({}) };
	await expect(prepare({ cmd: "curl x", network: true }, closed)).rejects.toThrow(
		"network: commands of this session run in a sandbox without network; leave network out",
	);
	const refusal =
		"commands of this session require a sandbox, and it is unavailable: bubblewrap is not installed";
	const none = { ...context, sandbox: { ...ending({}), mode: "none" as const, refusal } };
	await expect(prepare({ cmd: "ls" }, none)).rejects.toThrow(`not run: ${refusal}`);
});

test("in a container a command has the class of a sandbox with a network", async () => {
	const container: Sandbox = { ...ending({}), mode: "container" };
	const { plan } = await prepare({ cmd: "ls" }, { ...context, sandbox: container });
	expect(plan.classes).toEqual(["exec-sandboxed", "egress"]);
	expect(plan.notes[1]).toContain("everything in the gateway's container");
	const chat: Sandbox = { ...container, exposed: true };
	const prepared = await prepare({ cmd: "ls" }, { ...context, sandbox: chat });
	expect(prepared.plan.classes).toEqual(["exec-unsandboxed", "egress"]);
});

test("irreversible commands and commands that use control files have notes", async () => {
	const push = await prepare({ cmd: "git push --force" });
	expect(push.plan.classes).toEqual(["exec-unsandboxed", "irreversible"]);
	expect(push.plan.notes).toContain("git rewrites or deletes pushed commits");
	const data = await prepare({ cmd: `cat ${directory.path}/data/tokens/operator` });
	expect(data.plan.classes).toEqual(["exec-unsandboxed", "control"]);
	expect(data.plan.notes).toContain("names files of the gateway");
	const env = await prepare({ cmd: "cat .env" });
	expect(env.plan.classes).toEqual(["exec-unsandboxed", "secret"]);
	expect(env.plan.notes).toContain(`names ${context.cwd}/.env, which may contain keys or passwords`);
	expect((await prepare({ cmd: "crontab x; npm publish" })).plan.classes).toEqual([
		"exec-unsandboxed",
		"irreversible",
		"control",
	]);
});

test("the complete command is shown, without hidden parts", async () => {
	const { plan } = await prepare({ cmd: "echo \u{202e}gnp.exe\n\n\nrm p\u{430}th" });
	expect(plan.label).toBe("run echo \\u{202e}gnp.exe\\u{a}\\u{a}\\u{a}rm p\u{430}th");
	expect(plan.notes).toContain('mixes letters of different scripts: "p\u{430}th"');
});

test("a command that cannot be shown cannot be approved", async () => {
	const fits = `echo ${"x".repeat(16 * 1024 - "run echo ".length)}`;
	expect((await prepare({ cmd: fits })).plan.label).toBe(`run ${fits}`);
	await expect(prepare({ cmd: `${fits}x` })).rejects.toThrow(
		"the command cannot be approved: its text takes 16385 bytes, and at most 16384 can be shown: write the command to a file and run the file",
	);
	await expect(prepare({ cmd: "\n".repeat(4_000) })).rejects.toThrow("cannot be approved");
	await expect(prepare({ cmd: "a\0b" })).rejects.toThrow("cannot be approved");
	await expect(prepare({ cmd: "a\u{d800}b" })).rejects.toThrow("cannot be approved");
});

test.each([
	["echo hi", "hi\n", false],
	["true", "(no output)", false],
	["echo hi; exit 3", "hi\n[exit code 3]", true],
	["printf hi; exit 3", "hi\n[exit code 3]", true],
	["false", "(no output)\n[exit code 1]", true],
	["kill -9 $$", "(no output)\n[ended by SIGKILL]", true],
	["echo a >&2; echo b", "a\nb\n", false],
	["-n", expect.stringContaining("[exit code 127]"), true],
	["cat", "(no output)", false],
])("%j returns its output and exit", async (cmd, text, failed) => {
	expect(await run(cmd)).toEqual({ text, failed });
});

test("a command runs in the working directory, and its variables are not kept", async () => {
	expect((await run("cd /; export X=1; pwd")).text).toBe("/\n");
	expect((await run('pwd; echo "$X"')).text).toBe(`${context.cwd}\n\n`);
});

test("the limits of a command are the requested ones", async () => {
	const commands: Command[] = [];
	const where = {
		...context,
		sandbox: ending({ timedOut: true, code: null, signal: "SIGTERM", output: "x" }, commands),
	};
	const ready = await prepare({ cmd: "sleep 9", timeout_ms: 5_000 }, where);
	expect(await executeCall(ready, where)).toEqual({ text: "x\n[timed out after 5 s]", failed: true });
	expect(commands[0]).toMatchObject({
		args: ["-c", "--", "sleep 9"],
		cwd: context.cwd,
		timeoutMs: 5_000,
		maxOutputBytes: 256 * 1024,
	});
	await executeCall(await prepare({ cmd: "x" }, where), where);
	expect(commands[1]?.timeoutMs).toBe(120_000);
});

test.each([999, 1.5, "5", "soon"])("a timeout of %j is refused", async (timeout_ms) => {
	await expect(prepare({ cmd: "x", timeout_ms })).rejects.toThrow("timeout_ms");
});

test("a call that is cancelled while it runs reports the cancellation", async () => {
	const aborter = new AbortController();
	const where = { ...context, signal: aborter.signal };
	const ready = await prepare({ cmd: "echo begun; touch begun; sleep 300" }, where);
	const pending = executeCall(ready, where);
	await expect.poll(() => existsSync(join(context.cwd, "begun"))).toBe(true);
	aborter.abort();
	expect(await pending).toEqual({ text: "begun\n[cancelled]", failed: true });
});

test("a working directory that was replaced after the approval stops the command", async () => {
	const cwd = join(directory.path, "swapped");
	await mkdir(cwd);
	const where = createToolContext(cwd, { sandbox: context.sandbox });
	const ready = await prepare({ cmd: "touch ran" }, where);
	await rename(cwd, `${cwd}-away`);
	await mkdir(cwd);
	const expected = {
		text: "changed since it was approved: directory; the call did not run, so repeat it if you still need it",
		failed: true,
	};
	expect(await executeCall(ready, where)).toEqual(expected);
	await rename(cwd, `${cwd}-empty`);
	await symlink(`${cwd}-empty`, cwd);
	expect(await executeCall(ready, where)).toEqual(expected);
});

test("a sandbox that is missing after the approval stops the command", async () => {
	const ready = await prepare({ cmd: "echo hi" }, { ...context, sandbox: ending({}) });
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: environment, sandbox; the call did not run, so repeat it if you still need it",
		failed: true,
	});
});

test("the error names a missing working directory", async () => {
	const where = createToolContext(join(directory.path, "gone"));
	await expect(prepare({ cmd: "ls" }, where)).rejects.toThrow("cannot run a command in");
});

test("a command with secrets always requires approval and names the variable of each", async () => {
	const { plan } = await prepare({ cmd: "deploy", secrets: { API_KEY: "secret:pw_1" } });
	expect(plan.classes).toEqual(["exec-unsandboxed", "secret"]);
	expect(plan.notes).toContain("the variable API_KEY contains the password of the handle secret:pw_1");
	expect(plan.label).toBe("run deploy");
});

test.each<readonly [string, object, string]>([
	["a password itself", { API_KEY: "hunter2" }, "must be a handle"],
	["an invalid name", { "API-KEY": "secret:pw_1" }, "letters, digits and _"],
	...["PATH", "BASH_ENV", "LD_PRELOAD", "PARLEY_CALL"].map(
		(name) => [name, { [name]: "secret:pw_1" }, "controls the shell"] as const,
	),
])("a secret cannot replace other variables: %s", async (_, secrets, reason) => {
	const args = { cmd: "true", secrets };
	const prepared = await prepareCall([runCommand], { name: "run_command", arguments: args }, context);
	expect(prepared).toMatchObject({ kind: "refused", text: expect.stringContaining(reason) });
});

test("a command gets a password as a variable, and a password with a NUL is refused", async () => {
	const ready = await prepare({ cmd: 'printf %s "$API_KEY"', secrets: { API_KEY: "secret:pw_1" } });
	const released = (value: string) => {
		return executeCall({ ...ready, args: { ...Object(ready.args), secrets: { API_KEY: value } } }, context);
	};
	await expect(released("a b$'c")).resolves.toEqual({ text: "a b$'c", failed: false });
	await expect(released("a\0b")).resolves.toEqual({
		text: "secrets.API_KEY: the password contains a null character, which a variable cannot contain: ask for another password",
		failed: true,
	});
});

test("a command is bound to its named parent directory, and the note lists unknown paths", async () => {
	await using root = await createDirectory();
	const cwd = join(root.path, "work");
	await mkdir(cwd);
	await writeFile(join(root.path, "Makefile"), "all:\n");
	await writeFile(join(cwd, "a.sh"), "");
	const place = { ...context, cwd, roots: [root.path] };
	const bound = async (cmd: string) => (await prepare({ cmd }, place)).plan.bind?.();
	const before = await bound("make -C ..");
	expect(before?.notes).toEqual([expect.stringMatching(/\(2 here, and .* Not checked: documents/)]);
	await writeFile(join(root.path, "Makefile"), "all: x\n");
	const after = await bound("make -C ..");
	expect(differences(before?.binding ?? {}, after?.binding ?? {})).toEqual([
		`files2 (${join(root.path, "Makefile")})`,
	]);
	const unknown = await bound("make -C $DIR");
	expect(unknown?.notes).toEqual([
		expect.stringContaining("Not checked: paths known only when it runs, documents"),
	]);
});

test("calls that share their scan read the working directory once", async () => {
	await writeFile(join(context.cwd, "shared-1.js"), "");
	const sharedFacts: SharedFilesFacts = new Map();
	const [first, second] = [await prepare({ cmd: "ls" }), await prepare({ cmd: "cat shared-1.js" })];
	const one = await first.plan.bind?.({ sharedFacts });
	await writeFile(join(context.cwd, "shared-2.js"), "");
	const other = await second.plan.bind?.({ sharedFacts });
	expect(other?.binding["files"]).toBe(one?.binding["files"]);
	expect(other?.binding["files"]).toContain("shared-1.js");
	expect(other?.binding["named"]).not.toBe(one?.binding["named"]);
	expect((await second.plan.bind?.({ sharedFacts: new Map() }))?.binding["files"]).toContain("shared-2.js");
});

test("an approver reads at most five names of changed files, those in the command first", () => {
	const lines = ["a.js", "b.js", "c.js", "d.js", `${"e".repeat(300)}.js`, "run.sh"];
	const before = { files: "1\nold\t1", named: "", programs: "make: 1", sandbox: "off" };
	const after = {
		files: `6\n${lines.map((path) => `${path}\t2`).join("\n")}`,
		named: "/w/run.sh\t2",
		programs: "make: 2",
		sandbox: "off",
	};
	expect(changedNames(before, after, "/w")).toEqual([
		...["run.sh", "old", "a.js", "b.js", "c.js", "and 3 more"],
	]);
	expect(changedNames({ programs: "make: 1" }, { programs: "make: 2" }, "/w")).toEqual([
		"a program on the search path",
	]);
	expect(changedNames(before, before, "/w")).toEqual([]);
});
