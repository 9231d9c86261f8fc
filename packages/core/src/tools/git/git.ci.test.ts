import { spawnSync } from "node:child_process";
import { chmod, mkdir, writeFile as put, readFile as readText, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createIds, ParleyError, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { decide } from "../../policy/policy.ts";
import { createUnsandboxed } from "../../sandbox/commands/unsandboxed.ts";
import { createDirectory, createToolContext } from "../../testing/tool-context.ts";
import type { Command, CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { executeCall, prepareCall, type ReadyCall } from "../calls/tool-call.ts";
import { git } from "./git.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;
let repository: string;

function environment(): Record<string, string | undefined> {
	// The home directory of the test hides the developer's git settings.
	return { PATH: process.env["PATH"], HOME: join(directory.path, "home") };
}

function byHand(...args: string[]): string {
	const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "init.defaultBranch=main"];
	const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], {
		cwd: repository,
		env: { ...environment(), GIT_CONFIG_NOSYSTEM: "1" },
		encoding: "utf8",
	});
	if (status !== 0) throw new Error(stderr);
	return stdout.trim();
}

beforeEach(async () => {
	directory = await createDirectory();
	repository = join(directory.path, "work");
	for (const name of ["home", "work", "outside"]) await mkdir(join(directory.path, name));
	await put(join(directory.path, "home/.gitconfig"), "[user]\nname = Ada\nemail = ada@localhost\n");
	byHand("init", "--quiet");
	await put(join(repository, "beans.txt"), "one\n");
	await put(join(repository, ".env"), "KEY=hunter1\n");
	byHand("add", "--all");
	byHand("commit", "--quiet", "--message", "Plant the beans");
	const sandbox = createUnsandboxed({ environment: environment(), clock: systemClock, ids: createIds() });
	context = createToolContext(repository, { sandbox });
});
afterEach(() => directory[Symbol.asyncDispose]());

async function prepare(
	args: string[],
	more: { path?: string; where?: ToolContext } = {},
): Promise<ReadyCall> {
	const { where = context, ...path } = more;
	const prepared = await prepareCall([git], { name: "git", arguments: { args, ...path } }, where);
	if (prepared.kind === "refused") throw new Error(prepared.text);
	return prepared;
}

async function run(...args: string[]): Promise<string> {
	return (await executeCall(await prepare(args), context)).text;
}

function putFile(path: string, content: string): Promise<void> {
	return put(join(repository, path), content);
}

async function judged(args: readonly string[]): Promise<string> {
	const { plan } = await prepare([...args]);
	const { effect, floor } = decide({ tool: git, plan }, { acceptAll: false, grants: [], taint: "" });
	return `${effect}${floor ? " always" : ""}: ${plan.classes.join(" ")}`;
}

async function trap(): Promise<{ readonly program: string; readonly sprung: () => Promise<boolean> }> {
	const program = join(directory.path, "outside/trap.sh");
	const mark = join(directory.path, "outside/sprung");
	await put(program, `#!/bin/sh\ntouch ${mark}\ncat\n`);
	await chmod(program, 0o755);
	return {
		program,
		sprung: () =>
			readText(mark).then(
				() => true,
				() => false,
			),
	};
}

test("a command that only reads runs without approval and returns the output of git", async () => {
	const { plan } = await prepare(["log", "--oneline"]);
	expect(plan).toEqual({
		label: "git log --oneline",
		classes: ["read"],
		preview: "",
		binding: {
			directory: expect.stringMatching(new RegExp(`^${repository} \\d+:\\d+$`)),
			repository: expect.stringMatching(
				new RegExp(`^${repository} \\d+:\\d+, ${repository}/.git \\d+:\\d+$`),
			),
			programs: "",
			scripts: expect.stringMatching(new RegExp(`^(${repository}/.git/config)\t\\1 \\S{43} 644$`)),
			executable: expect.stringMatching(/^git: \/\S+ \d+:\d+ sha256:[0-9a-f]{64}$/),
			environment: expect.stringMatching(/^[0-9a-f]{64}$/),
			sandbox: "off",
		},
		notes: ["in ."],
		usualNotes: ["in ."],
	});
	expect(await run("log", "--format=%s by %an")).toBe("Plant the beans by Ada\n");
	expect(await run("status", "--short")).toBe("(no output)");
	await putFile("beans.txt", "two\n");
	expect(await run("status", "--short")).toBe(" M beans.txt\n");
	expect(await run("diff", "--", "beans.txt")).toMatch(/\n-one\n\+two\n$/);
	expect(await run("show", "HEAD:beans.txt")).toBe("one\n");
	expect(await run("blame", "-s", "beans.txt")).toMatch(/two\n$/);
	expect(await run("rev-parse", "--abbrev-ref", "HEAD")).toBe("main\n");
	expect(await run("ls-files")).toBe(".env\nbeans.txt\n");
});

test.each<[args: string[], reason: string]>([
	[["-c", "alias.x=!id", "x"], '"-c" is not a git command: write the command first'],
	[["--exec-path=/x", "status"], "is not a git command"],
	[["-C", "/", "status"], "is not a git command"],
	[["--git-dir=/x", "log"], "is not a git command"],
	[["!id"], "is not a git command"],
	[[""], "is not a git command"],
	[["diff", "/etc/passwd", "/etc/hosts"], '"/etc/passwd" is outside the repository'],
	[["diff", "--", "../outside/x", "beans.txt"], '"../outside/x" is outside the repository'],
	[["log", "--", "a/../../x"], "is outside the repository"],
	[["log", "a\0b"], "contains a null character"],
	[["log", "a\u{d800}"], "not well-formed"],
	[[], "args"],
	[["commit", "-m", "x".repeat(16_384)], "the command cannot be approved: its text takes"],
])("%j is refused", async (args, reason) => {
	await expect(prepare(args)).rejects.toThrow(reason);
});

test("an approved change runs unchanged, and the same command can be allowed for the session", async () => {
	await putFile("peas.txt", "x\n");
	const ready = await prepare(["add", "peas.txt"]);
	expect(ready.plan.grant).toEqual({ kind: "argv", tool: "git", prefix: ["add"] });
	expect((await prepare(["stash", "push"])).plan.grant).toMatchObject({ prefix: ["stash", "push"] });
	expect((await prepare(["push"])).plan.grant).toBeUndefined();
	expect((await prepare(["reset", "--hard"])).plan.grant).toBeUndefined();
	expect(await executeCall(ready, context)).toEqual({ text: "(no output)", failed: false });
	expect(await run("commit", "-m", "two words; $(id)\n\n`and` 'more'")).toContain("1 file changed");
	expect(byHand("log", "-1", "--format=%B")).toBe("two words; $(id)\n\n`and` 'more'");
	expect((await prepare(["commit", "-m", "it's; x"])).plan.label).toBe("git commit -m 'it'\\''s; x'");
	expect(await run("commit", "-m", "nothing")).toMatch(/nothing to commit.*\n\[exit code 1\]$/s);
	expect(await run("commit", "--allow-empty")).toMatch(/empty commit message.*\n\[exit code 1\]$/s);
});

test("git runs no program of the repository while it reads", async () => {
	const { program, sprung } = await trap();
	const names = [
		...["core.fsmonitor", "diff.external", "core.pager", "core.sshCommand", "gpg.program", "gpg.ssh.program"],
		...["filter.x.clean", "filter.x.smudge", "filter.x y.process", "diff.x.textconv", "diff.x.command"],
		...["credential.helper", "core.askPass", "core.editor", "core.alternateRefsCommand"],
	];
	for (const name of names) byHand("config", name, program);
	byHand("config", "filter.x.required", "true");
	byHand("config", "log.showSignature", "true");
	byHand("config", "format.pretty", "format:%h %G? %s");
	byHand("config", "alias.status", `!${program}`);
	byHand("config", "protocol.ext.allow", "always");
	byHand("config", "remote.origin.url", `ext::${program}`);
	byHand("config", "remote.origin.promisor", "true");
	await putFile(".gitattributes", "beans.txt filter=x diff=x\nother filter=x\\ y diff=x\n");
	for (const hook of ["post-index-change", "pre-commit", "reference-transaction", "fsmonitor-watchman"]) {
		await symlink(program, join(repository, ".git/hooks", hook));
	}
	await putFile("beans.txt", "two\n");
	const missing = "0123456789012345678901234567890123456789";
	const calls = [
		...[
			"status",
			"diff",
			"diff HEAD",
			"log -p",
			"show",
			"show HEAD:beans.txt",
			"blame beans.txt",
			"ls-files -m",
		],
		...[
			"stash list -p",
			"branch -vv",
			"for-each-ref --format=%(contents)",
			"log --format=%G?%GG",
			`cat-file -p ${missing}`,
		],
	];
	for (const line of calls) await run(...line.split(" "));
	expect(await run("diff", "beans.txt")).toMatch(/\n-one\n\+two\n$/);
	expect(await sprung()).toBe(false);
	// The trap works: git without protection starts it.
	spawnSync("git", ["status"], { cwd: repository, env: environment() });
	expect(await sprung()).toBe(true);
});

test("a change that would run programs of the repository requires approval as a command, and names the reason", async () => {
	const { program, sprung } = await trap();
	await symlink(program, join(repository, ".git/hooks/pre-commit"));
	byHand("config", "filter.x.clean", program);
	await putFile("peas.txt", "x\n");
	expect(await judged(["add", "peas.txt"])).toBe("ask: exec-unsandboxed write");
	const { plan } = await prepare(["commit", "--allow-empty", "-m", "x"]);
	expect(plan.notes).toEqual([
		"in .",
		"sandbox: off — commands have your permissions: files, network, this gateway",
		"runs programs that the repository names: hook pre-commit, filter.x.clean",
	]);
	expect(plan.grant).toBeUndefined();
	const ready = await prepare(["commit", "--allow-empty", "-m", "x"]);
	const bound = await ready.plan.bind?.();
	expect(bound?.notes).toEqual([
		expect.stringMatching(/^runs only if its files stay unchanged \(\d+ in the repository\)\. Not checked: /),
	]);
	const approved = { ...ready.plan, binding: { ...ready.plan.binding, ...bound?.binding } };
	await putFile("used-by-hook.sh", "x\n");
	expect((await executeCall({ ...ready, plan: approved }, context)).text).toBe(
		"changed since it was approved: files (used-by-hook.sh); the call did not run, so repeat it if you still need it",
	);
	await run("commit", "--allow-empty", "-m", "x");
	expect(await sprung()).toBe(true);
});

test("programs that appeared after the approval stop the change", async () => {
	await putFile("peas.txt", "x\n");
	const ready = await prepare(["add", "peas.txt"]);
	byHand("config", "filter.x.clean", "cat");
	expect(await executeCall(ready, context)).toEqual({
		text: `changed since it was approved: programs, scripts (${repository}/.git/config); the call did not run, so repeat it if you still need it`,
		failed: true,
	});
});

test("filters in the settings of the person remain active for changes", async () => {
	await put(
		join(directory.path, "home/.gitconfig"),
		'[filter "loud"]\nclean = tr a-z A-Z\n[user]\nname=Ada\nemail=a@b\n',
	);
	await putFile(".gitattributes", "*.txt filter=loud\n");
	await putFile("peas.txt", "peas\n");
	expect(await judged(["add", "peas.txt"])).toBe("ask: write");
	await run("add", "peas.txt");
	expect(await run("show", ":peas.txt")).toBe("PEAS\n");
});

test("patches omit the content of key files, unless they were requested", async () => {
	await putFile(".env", "KEY=hunter2\n");
	await putFile("beans.txt", "two\n");
	const left = "diff --git a/.env b/.env\n[its content may contain keys or passwords and is left out]\n";
	const diff = await run("diff");
	expect(diff).toContain(left);
	expect(diff).not.toContain("hunter");
	expect(diff).toContain("\n-one\n+two\n");
	byHand("config", "diff.noprefix", "true");
	byHand("config", "diff.mnemonicPrefix", "true");
	byHand("config", "diff.suppressBlankEmpty", "true");
	for (const line of [
		"diff",
		"show",
		"log -p",
		"log --oneline -p",
		"log -p --stat",
		"diff HEAD",
		"show -U5",
	]) {
		expect(await run(...line.split(" ")), line).not.toContain("hunter");
	}
	byHand("stash");
	expect(await run("stash", "show", "-p")).not.toContain("hunter");
	expect(await run("show", "HEAD:.env")).toBe("KEY=hunter1\n");
});

test("an object that is named only by its hash requires approval", async () => {
	const blob = byHand("rev-parse", "HEAD:.env");
	const tree = byHand("rev-parse", "HEAD^{tree}");
	byHand("tag", "hidden", blob);
	byHand("tag", "-a", "-m", "x", "wrapped", blob);
	for (const name of [
		blob,
		blob.slice(0, 8),
		`${blob}^{}`,
		"hidden",
		"wrapped",
		`x-0-g${blob.slice(0, 8)}`,
		`${tree}:.env`,
	]) {
		expect(await judged(["show", name]), name).toBe("ask always: read secret");
		expect(await judged(["cat-file", "-p", name]), name).toBe("ask always: read secret");
	}
	expect(await judged(["cat-file", "blob", blob])).toBe("ask always: read secret");
	expect(await judged(["show", `${tree}:beans.txt`])).toBe("ask always: read secret");
	expect(await judged(["diff", blob, "HEAD:beans.txt"])).toBe("ask always: read secret");
	expect(await judged(["diff", `HEAD..${tree}`])).toBe("ask always: read secret");
	expect(await run("log", "-p", blob)).toBe("(no output)");
	expect(await judged(["show", tree])).toBe("allow: read");
	expect(await judged(["show", byHand("rev-parse", "HEAD")])).toBe("allow: read");
});

test("addresses of remotes are shown without their passwords", async () => {
	byHand("remote", "add", "origin", "https://ada:hunter2@example.org/x.git");
	expect(await run("remote", "-v")).toMatch(/^origin\thttps:\/\/…@example.org\/x.git \(fetch\)\n/);
	expect(await run("remote", "get-url", "origin")).toBe("https://…@example.org/x.git\n");
});

test("a repository must be completely within the roots", async () => {
	await mkdir(join(repository, "sub"));
	const sub = { ...context, cwd: join(repository, "sub"), roots: [join(repository, "sub")] };
	await expect(prepare(["status"], { where: sub })).rejects.toThrow("no git repository for");
	await put(join(directory.path, "outside/x"), "");
	await rm(join(repository, ".git"), { recursive: true });
	await expect(prepare(["status"])).rejects.toThrow(
		/no git repository for ".*" within the roots: fatal: not a git/,
	);
	spawnSync("git", ["init", "-q", join(directory.path, "outside")], { env: environment() });
	await putFile(".git", `gitdir: ${directory.path}/outside/.git\n`);
	await expect(prepare(["log"])).rejects.toThrow("a part of the repository is outside the roots");
	await rm(join(repository, ".git"));
	await symlink("../outside/.git", join(repository, ".git"));
	await expect(prepare(["log"])).rejects.toThrow("a part of the repository is outside the roots");
});

test("a repository whose settings move its working tree is refused", async () => {
	byHand("config", "core.worktree", join(directory.path, "outside"));
	await expect(prepare(["status"])).rejects.toThrow("a part of the repository is outside the roots");
});

test("a repository that is hidden in the working tree as plain files is not used", async () => {
	spawnSync("git", ["init", "-q", "--bare", join(repository, "docs")], { env: environment() });
	await expect(prepare(["log"], { path: "docs" })).rejects.toThrow("no git repository");
});

test.each([
	["outside", "../outside", "git runs within the roots, not in"],
	["a file", "beans.txt", '"beans.txt" is not a directory'],
	["nothing", "nowhere", "it does not exist; check the path"],
])("%s is not a directory for git", async (_name, path, reason) => {
	await expect(prepare(["status"], { path })).rejects.toThrow(reason);
});

test("another directory of the roots is given by its path", async () => {
	await mkdir(join(repository, "sub"));
	await putFile("sub/x", "");
	const ready = await prepare(["status", "--short", "."], { path: "sub" });
	expect(ready.plan).toMatchObject({ notes: ["in sub"], usualNotes: [] });
	expect((await executeCall(ready, context)).text).toBe("?? ./\n");
	expect(await judged(["show", "HEAD"])).toBe("allow: read");
	expect((await prepare(["log", "--", "../beans.txt"], { path: "sub" })).plan.classes).toEqual(["read"]);
});

test("a new repository is created after an approval", async () => {
	await mkdir(join(directory.path, "new"));
	const where = { ...context, cwd: join(directory.path, "new"), roots: [join(directory.path, "new")] };
	const ready = await prepare(["init", "--quiet"], { where });
	expect(ready.plan.classes).toEqual(["exec-unsandboxed"]);
	expect(await executeCall(ready, where)).toEqual({ text: "(no output)", failed: false });
	// The plan was bound to a directory without a repository. The directory now has one.
	expect((await executeCall(ready, where)).text).toContain("changed since it was approved: repository");
});

test("a repository that was replaced after the approval stops the command", async () => {
	const ready = await prepare(["status"]);
	await rename(join(repository, ".git"), join(directory.path, "outside/git"));
	byHand("init", "--quiet");
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: repository; the call did not run, so repeat it if you still need it",
		failed: true,
	});
});

test("files of the gateway in the working tree require approval for each command", async () => {
	const where = { ...context, forbidden: [join(repository, "data")] };
	expect((await prepare(["status"], { where })).plan).toMatchObject({ classes: ["read", "control"] });
	expect((await prepare(["add", "-A"], { where })).plan).toMatchObject({
		classes: ["write", "control"],
		notes: ["in .", "the working tree contains the gateway's own files"],
	});
});

test("names with special characters are ordinary names", async () => {
	for (const name of ["-rf", "--output=x", "a b", "$(id)", "é🌱", "new\nline"]) {
		await putFile(name, "x\n");
		expect(await run("add", "--", name)).toBe("(no output)");
	}
	expect(byHand("ls-files", "-z").split("\0")).toEqual(
		expect.arrayContaining(["-rf", "--output=x", "a b", "$(id)", "é🌱", "new\nline"]),
	);
	expect((await prepare(["add", "--", "b\u{202e}c", "p\u{430}th"])).plan).toMatchObject({
		label: "git add -- 'b\\u{202e}c' 'p\u{430}th'",
		notes: ["in .", 'mixes letters of different scripts: "p\u{430}th"'],
	});
});

test("a long output is cut at its end with a note", async () => {
	await putFile("beans.txt", Array.from({ length: 60_000 }, (_, index) => `line ${index}\n`).join(""));
	const text = await run("diff");
	expect(text.length).toBeLessThan(140 * 1024);
	expect(text).toMatch(
		/\n\[… the rest was left out: request less, for example with a path or a smaller range …\]\n$/,
	);
});

/** Creates a sandbox that runs commands that only inspect the repository, and returns `outcome` for others. */
function ending(outcome: Partial<CommandOutcome>, commands: Command[] = []): Sandbox {
	return {
		...context.sandbox,
		mode: "bubblewrap",
		async run(command) {
			commands.push(command);
			const reading = /^(?:rev-parse|config|cat-file)$/;
			if (command.args.some((word) => reading.test(word))) return context.sandbox.run(command);
			return { code: 0, signal: null, output: "", timedOut: false, ...outcome };
		},
	};
}

test("the exit of a command is reported, and its kind sets its limits", async () => {
	const commands: Command[] = [];
	const timedOut = { ...context, sandbox: ending({ timedOut: true, code: null, output: "x\n" }, commands) };
	expect(await executeCall(await prepare(["log"], { where: timedOut }), timedOut)).toEqual({
		text: "x\n[timed out after 30 s]",
		failed: true,
	});
	expect(commands.at(-1)).toMatchObject({ executable: "git", cwd: repository, timeoutMs: 30_000 });
	expect(commands.at(-1)?.environment).toMatchObject({ GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" });
	const rebase = await prepare(["rebase", "-i", "HEAD"], { where: timedOut });
	expect(rebase.plan).toMatchObject({
		classes: ["exec-sandboxed"],
		notes: ["in .", "sandbox: bubblewrap — no network, and only files in the roots"],
	});
	expect((await executeCall(rebase, timedOut)).text).toBe("x\n[timed out after 300 s]");
	expect(commands.at(-1)?.environment).not.toHaveProperty("GIT_ALLOW_PROTOCOL");
	expect(commands.map(({ power }) => power)).toContain("work");
});

test("a command that uses the network leaves the sandbox, and no program of the repository runs there", async () => {
	const { program, sprung } = await trap();
	await symlink(program, join(repository, ".git/hooks/pre-push"));
	byHand("init", "--quiet", "--bare", join(directory.path, "outside/far"));
	byHand("remote", "add", "origin", join(directory.path, "outside/far"));
	const outside: Sandbox = context.sandbox;
	const where = { ...context, sandbox: { ...ending({}), network: outside } };
	const push = await prepare(["push", "origin", "main"], { where });
	expect(push.plan.classes).toEqual(["exec-unsandboxed", "egress"]);
	expect(push.plan.notes[1]).toMatch(
		/^sandbox: off — commands have your permissions: files, network, this gateway/,
	);
	expect((await executeCall(push, where)).text).toContain("main -> main");
	expect(await sprung()).toBe(false);
	byHand("config", "core.sshCommand", program);
	expect((await prepare(["fetch"], { where })).plan.notes).toContain(
		"would use settings of the repository outside the sandbox: core.sshcommand",
	);
	for (const args of [
		["fetch", "--upload-pack=x"],
		["push", "--exec=x"],
		["clone", "-c", "a=b", "x"],
		["send-email"],
	]) {
		expect((await prepare(args, { where })).plan.classes).toContain("control");
	}
	const closed = { ...context, sandbox: { ...ending({}), network: undefined } };
	await expect(prepare(["push"], { where: closed })).rejects.toThrow(
		"this git command needs the network, and the sandbox of this session has no network: ask a person to run the command",
	);
});

test("a missing program and a cancelled call are reported", async () => {
	const missing: Sandbox = {
		...context.sandbox,
		run: () => Promise.reject(new ParleyError('there is no executable program "git"', { code: "not_found" })),
	};
	await expect(prepare(["status"], { where: { ...context, sandbox: missing } })).rejects.toThrow(
		/^there is no executable program "git"$/,
	);
	const ready = await prepare(["status"]);
	const aborted = { ...context, signal: AbortSignal.abort() };
	expect(await executeCall(ready, aborted)).toEqual({ text: "cancelled", failed: true });
});

test("settings that cannot be read or disabled stop all commands", async () => {
	byHand("config", "filter.a=b.clean", "cat");
	await expect(prepare(["status"])).rejects.toThrow(
		'the repository\'s setting "filter.a=b.clean" cannot be switched off: remove it, or use run_command',
	);
	await putFile(".git/config", "[core\n");
	await expect(prepare(["status"])).rejects.toThrow("no git repository");
});
