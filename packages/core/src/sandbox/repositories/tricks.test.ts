import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { MemoryLogger, pacedNow } from "@parley/base/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { hasBubblewrap, shellCommand } from "../../testing/commands.ts";
import { createDirectory } from "../../testing/tool-context.ts";
import type { Command } from "../../vocabulary/sandbox.ts";
import { createSandboxes } from "../sandboxes.ts";

const testInside = test.skipIf(!hasBubblewrap);

/**
 * Directory of the stored verdict about the sandbox. All tests share the directory, so only the first test runs the
 * probes.
 */
let stored: Awaited<ReturnType<typeof createDirectory>>;
let directory: Awaited<ReturnType<typeof createDirectory>>;
let root: string;
let evil: string;
let log: MemoryLogger;
let sandboxes: ReturnType<typeof createSandboxes>;

beforeAll(async () => {
	stored = await createDirectory();
});
afterAll(() => stored[Symbol.asyncDispose]());
beforeEach(async () => {
	directory = await createDirectory();
	root = join(directory.path, "work");
	evil = join(directory.path, "planted");
	log = new MemoryLogger();
	await mkdir(root);
	sandboxes = sandboxesWith({});
});
afterEach(() => directory[Symbol.asyncDispose]());

function sandboxesWith(environment: Readonly<Record<string, string>>): ReturnType<typeof createSandboxes> {
	return createSandboxes({
		mode: "required",
		clock: systemClock,
		ids: createIds(),
		log,
		hidden: [],
		environment: { PATH: process.env["PATH"], ...environment },
		verdict: { file: join(stored.path, "verdict"), build: "test" },
	});
}

async function run(line: string, power: Command["power"] = "work"): Promise<string> {
	const sandbox = await sandboxes.of({ chat: false, roots: [root] });
	const { output, code } = await sandbox.run({
		...shellCommand(line, root),
		executable: "/bin/bash",
		args: ["-c", line],
		power,
	});
	return `${output}${code === 0 ? "" : `[${code}]`}`;
}

/** Whether `git status` or `git commit` of the operator runs the planted program. */
function runsPlanted(path: string): boolean {
	const env = {
		PATH: process.env["PATH"],
		HOME: directory.path,
		GIT_CONFIG_NOSYSTEM: "1",
		GIT_AUTHOR_NAME: "a",
		GIT_AUTHOR_EMAIL: "a",
		GIT_COMMITTER_NAME: "a",
		GIT_COMMITTER_EMAIL: "a",
	};
	const options = { cwd: join(root, path), env, encoding: "utf8" } as const;
	spawnSync("git", ["status"], options);
	spawnSync("git", ["commit", "-q", "--allow-empty", "-m", "x"], options);
	return existsSync(evil);
}

function operatorsRepository(path: string): void {
	spawnSync("git", ["init", "-q", path], { cwd: root });
}

const hook = (path: string): string =>
	`printf '#!/bin/sh\\ntouch ${evil}\\n' >${path}/hooks/pre-commit && chmod +x ${path}/hooks/pre-commit`;
const setting = (path: string): string => `git config -f ${path}/config core.fsmonitor 'touch ${evil};:'`;

testInside("the planted hooks and settings would run without the protection", async () => {
	await run(`git init -q one; ${hook("one/.git")}`, "steer");
	expect(runsPlanted("one")).toBe(true);
	await rm(evil);
	await run(`git init -q two; ${setting("two/.git")}`, "steer");
	expect(runsPlanted("two")).toBe(true);
});

testInside("output that imitates bubblewrap disables no protection", async () => {
	const reported = await run(
		`printf 'bwrap: boo\\n'; git init -q sub; ${hook("sub/.git")}; ${setting("sub/.git")}; exit 1`,
	);
	expect(reported).toMatch(/^bwrap: boo\n\n\[held back: [\s\S]*\[removed: [\s\S]*\[1\]$/);
	expect(runsPlanted("sub")).toBe(false);
});

testInside("an existing name prevents no move, and one failure does not affect the next", async () => {
	const names = "mkdir -p sub/.git/hooks.held-back-{1..60}/x sub/.git/hooks.held-back-held_{1..60}/x";
	expect(await run(`git init -q sub; ${names}; ${hook("sub/.git")}`)).toMatch(/\[held back: /);
	expect(runsPlanted("sub")).toBe(false);
});

testInside("deep nesting hides no other repository, and blocks no later command", async () => {
	const deep = 'n=$(printf "%0250d" 0); for i in {1..20}; do mkdir $n && cd $n; done';
	const reported = await run(`git init -q sub; ${hook("sub/.git")}; ${deep}`);
	expect(reported).toMatch(/\[held back: [\s\S]*\[not checked: .* cannot be read/);
	expect(runsPlanted("sub")).toBe(false);
	expect(await run("echo fine")).toBe("fine\n");
	const chat = await sandboxes.of({ chat: true, roots: [root] });
	expect((await chat.run(shellCommand("echo fine", root))).output).toBe("fine\n");
	spawnSync("rm", ["-rf", root]);
});

testInside("a directory that looks like a repository hides no repository in it", async () => {
	operatorsRepository("code/sub");
	expect(await run("touch HEAD; mkdir objects refs")).toBe("");
	const reported = await run(`(${hook("code/sub/.git")}; ${setting("code/sub/.git")}) 2>/dev/null; echo end`);
	expect(reported).toBe("end\n");
	expect(await run(`git init -q objects/new; ${hook("objects/new/.git")}`)).toMatch(/\[held back: /);
	expect(runsPlanted("code/sub") || runsPlanted("objects/new")).toBe(false);
});

testInside("settings that are written under another name are checked again", async () => {
	expect(await run("git init -q sub; ln sub/.git/config lnk")).toBe("");
	const reported = await run(`printf '[core]\\n fsmonitor=touch ${evil};:\\n' >>lnk`);
	expect(reported).toMatch(/\[removed: core\.fsmonitor of /);
	expect(runsPlanted("sub")).toBe(false);
});

testInside("names that are not text are reported, and files with such names are checked", async () => {
	const reported = await run(`mkdir $'a\\xff'; git init -q $'a\\xff/x'; ${hook("$'a\\xff'/x/.git")}`);
	expect(reported).toMatch(/\[not checked: ".*a\u{fffd}" cannot be read/u);
	expect(await run("echo again")).toBe("again\n");
	expect(await run("mv $'a\\xff'/x x")).toMatch(/\[held back: ".*\/x\/\.git\/hooks"/);
	expect(runsPlanted("x")).toBe(false);
});

testInside("hooks in installed Python packages are found", async () => {
	expect(await run(`git init -q site-packages/x; ${hook("site-packages/x/.git")}`)).toMatch(/\[held back: /);
	expect(runsPlanted("site-packages/x")).toBe(false);
});

testInside("settings of programs other than git are removed, too", async () => {
	const settings = ["svn.authorsprog", "remote.o.annex-shell-command", "url.ext::sh.insteadof"];
	const reported = await run(
		`git init -q sub; ${settings.map((name) => `git -C sub config ${name} x`).join("; ")}`,
	);
	for (const name of settings) expect(reported).toContain(name);
	expect(readFileSync(join(root, "sub/.git/config"), "utf8")).not.toMatch(/authorsprog|annex|ext::/);
});

testInside("a copy of all settings is kept, and the log reports it", async () => {
	await run(`git init -q sub; ${setting("sub/.git")}; git -C sub config core.editor mine`);
	const copy = readdirSync(join(root, "sub/.git")).find((name) => name.startsWith("config.held-back-")) ?? "";
	expect(readFileSync(join(root, "sub/.git", copy), "utf8")).toContain("editor = mine");
	expect(JSON.stringify(log.records)).toContain("core.editor");
});

testInside("very many settings and repositories are processed quickly, and reported briefly", async () => {
	const aliases = 'for i in {1..300}; do echo "[alias] a$i = !x" >>a/.git/config; done';
	const many = "for i in {1..60}; do git init -q r$i; echo '# alias' >>r$i/.git/config; done";
	const started = systemClock.monotonic();
	const reported = await run(
		`git init -q a; ${aliases}; ${many}; for i in {1..30}; do mkdir -p r$i/.git/hooks; >r$i/.git/hooks/x; done`,
	);
	expect(systemClock.monotonic() - started).toBeLessThan(pacedNow(15_000));
	expect(reported).toMatch(/\[held back: .* and \d+ more appeared/);
	expect(existsSync(join(root, "a/.git/config"))).toBe(false);
	expect(reported.length).toBeLessThan(2_500);
});

testInside("files that control later commands in a replaced directory are reported", async () => {
	operatorsRepository("code/sub");
	writeFileSync(join(root, "code/sub/.envrc"), "");
	const reported = await run("mv code/sub x; cp -r x code/sub; echo evil >code/sub/.envrc");
	expect(reported).toMatch(/\[not checked: ".*code\/sub\/\.envrc"/);
});

testInside("a missing locale has no effect", async () => {
	sandboxes = sandboxesWith({ LC_ALL: "xx_XX.UTF-8" });
	const sandbox = await sandboxes.of({ chat: true, roots: [root] });
	expect(sandbox.mode).toBe("bubblewrap");
	const reported = await sandbox.run({ ...shellCommand("", root), executable: "/usr/bin/env", args: [] });
	expect(reported.output).toMatch(/^LC_ALL=xx_XX\.UTF-8$/m);
	expect(reported.output).not.toContain("warning");
	expect(await run(`git init -q sub; ${setting("sub/.git")}`)).toMatch(/\[removed: core\.fsmonitor of /);
});
