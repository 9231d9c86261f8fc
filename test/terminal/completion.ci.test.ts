import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const binary = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));
const directory = mkdtempSync("/tmp/parley-completion-");

beforeAll(() => {
	const command = join(directory, "parley");
	writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`);
	chmodSync(command, 0o755);
});

afterAll(() => rmSync(directory, { recursive: true }));

async function run(shell: string, args: readonly string[]): Promise<string[]> {
	const environment = { PATH: `${directory}:${process.env["PATH"]}`, HOME: directory, TERM: "dumb" };
	const child = spawn(shell, args, { cwd: directory, env: environment });
	child.stdin.end();
	const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
	expect(error).toBe("");
	return out.trimEnd().split("\n");
}

function bash(...words: readonly string[]): Promise<string[]> {
	const script = `source <(parley completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_parley
printf '%s\\n' "\${COMPREPLY[@]}"`;
	return run("bash", ["--norc", "-c", script, "bash", ...words]);
}

/** Returns the suggestions of zsh. Replaces zsh's completion functions with functions that print the suggestions. */
function zsh(...words: readonly string[]): Promise<string[]> {
	const script = `compdef() { }
_describe() { print -l -- "\${(@P)2}" }
_files() { print files }
source <(parley completion zsh)
words=("$@") CURRENT=$#
_parley`;
	return run("zsh", ["-f", "-c", script, "zsh", ...words]);
}

function fish(line: string): Promise<string[]> {
	const script = "source (parley completion fish | psub); complete -C $argv[1]";
	return run("fish", ["--no-config", "-c", script, line]);
}

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

test("bash completes commands, subcommands, options and their values", async () => {
	expect(await bash("parley", "sta")).toEqual(["start", "status"]);
	expect(await bash("parley", "sessions", "ex")).toEqual(["export"]);
	expect(await bash("parley", "ask", "--output-format", "")).toEqual(["text", "json", "stream"]);
	expect(await bash("parley", "policy", "test", "--to")).toEqual(["--tool"]);
});

test("bash completes the names of settings", async () => {
	expect(await bash("parley", "config", "set", "budgets.d")).toEqual(["budgets.day"]);
	expect(await bash("parley", "config", "get", "tls.")).toEqual(["tls.cert", "tls.key"]);
});

test("bash does not run the typed words", async () => {
	await bash("parley", "ask", "$(touch ran)", "`touch ran`", "");
	expect(existsSync(join(directory, "ran"))).toBe(false);
});

test.skipIf(!has("zsh"))("zsh (if installed) completes with descriptions", async () => {
	expect(await zsh("parley", "sessions", "")).toContain(
		"export:export a session as Markdown, or all its events as JSON",
	);
});

test.skipIf(!has("fish"))("fish (if installed) completes with descriptions", async () => {
	expect(await fish("parley sessions exp")).toEqual([
		"export\texport a session as Markdown, or all its events as JSON",
	]);
});
