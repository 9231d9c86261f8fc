import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDirectory } from "../../testing/tool-context.ts";
import { readGitWords, readingOf } from "./git-forms.ts";
import { carefulEnvironment, carefulOptions } from "./repository.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;

/** Runs git with a separate home directory, because the developer's git settings could change the output. */
function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
	return spawnSync("git", args, {
		cwd: join(directory.path, "work"),
		env: { PATH: process.env["PATH"], HOME: join(directory.path, "home"), ...environment },
		encoding: "utf8",
	});
}

beforeAll(async () => {
	directory = await createDirectory();
	await mkdir(join(directory.path, "home"));
	await mkdir(join(directory.path, "work"));
	await writeFile(join(directory.path, "home/.gitconfig"), "[user]\nname = Ada\nemail = ada@localhost\n");
	await writeFile(join(directory.path, "work/beans.txt"), "one\n");
	run(["init", "--quiet"]);
	run(["add", "--all"]);
	run(["commit", "--quiet", "--message", "Plant the beans"]);
	await writeFile(join(directory.path, "work/beans.txt"), "two\n");
	run(["stash"]);
});
afterAll(() => directory[Symbol.asyncDispose]());

test.each([
	"status",
	"status -sb",
	"status --porcelain=v2 --branch",
	"diff",
	"diff --stat HEAD",
	"diff --cached -U0 -w",
	"diff HEAD -- beans.txt",
	"log",
	"log -5",
	"log -n 5 --graph --oneline --all --decorate",
	"log -p -- beans.txt",
	"log --since=yesterday --author=Ada -S one",
	"log -L1,1:beans.txt",
	"show",
	"show --stat HEAD",
	"show HEAD:beans.txt",
	"blame -L 1,1 beans.txt",
	"shortlog -sn HEAD",
	"rev-parse HEAD",
	"rev-list --count HEAD",
	"ls-files -o --exclude-standard",
	"ls-tree -r HEAD",
	"cat-file -t HEAD",
	"cat-file -p HEAD",
	"merge-base HEAD HEAD",
	"show-ref",
	"for-each-ref --sort=refname",
	"count-objects -v",
	"branch",
	"branch -avv",
	"branch --list m*",
	"branch --merged HEAD",
	"branch --show-current",
	"tag",
	"tag -l v*",
	"tag -n",
	"remote",
	"remote -v",
	"stash list",
	"reflog",
	"reflog show HEAD",
	"reflog -3 --oneline",
	"worktree list",
	"version",
	"name-rev HEAD",
	"stash show",
	"stash show -p --stat",
	"stash show stash@{0}",
])("%s is read-only, and git accepts its safe form", (line) => {
	const reading = readingOf(readGitWords(line.split(" ")));
	expect(reading).toBeDefined();
	const words = [...carefulOptions("read", ["x"]), ...(reading?.words ?? [])];
	const { status, stderr } = run(words, carefulEnvironment("read", [directory.path]));
	expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test.each([
	["diff", true, ["commit"]],
	["log -p", true, undefined],
	["stash show", true, undefined],
	["show HEAD", true, ["commit", "tree"]],
	["cat-file -p HEAD:x", false, ["commit", "tree"]],
	["status", false, undefined],
])("the possible output of %s is known: patches %s, objects %j", (line, patches, objects) => {
	expect(readingOf(readGitWords(line.split(" ")))).toMatchObject({ patches, objects });
});

test.each([
	["diff x -- y", ["diff", "--no-ext-diff"], ["x", "--", "y"]],
	["stash show -p", ["stash", "show", "--no-ext-diff"], ["-p"]],
	["reflog show main", ["reflog", "show", "--no-ext-diff"], ["main"]],
	["reflog", ["reflog", "--no-ext-diff"], []],
	["ls-files -o", ["ls-files", "-o"], []],
])("%s gets its safe options at the position that git expects", (line, beginning, end) => {
	const words = readingOf(readGitWords(line.split(" ")))?.words ?? [];
	expect(words.slice(0, beginning.length)).toEqual(beginning);
	expect(words.slice(words.length - end.length)).toEqual(end);
});

test.each([
	"",
	"lg",
	"constructor",
	"toString",
	"grep x",
	"config --list",
	"stash",
	"stash push",
	"stash -p list",
	"stash pop",
	"reflog expire",
	"reflog delete x",
	"branch x",
	"branch -- x",
	"branch --sort=refname x",
	"branch -l x",
	"tag x",
	"tag --sort=refname x",
	"tag -d x",
	"remote show origin",
	"remote get-url origin more",
	"remote update",
	"worktree add x",
	"worktree",
	"diff --output=x",
	"diff --outpu=x",
	"diff -p --output x",
	"diff --no-index x y",
	"diff --word-diff",
	"diff --no-prefix",
	"diff --color=always",
	"diff --submodule=diff",
	"diff --ignore-submodules=none",
	"log --graph -p",
	"log --graph -U1",
	"log --graph -L1,1:x",
	"log --stdin",
	"log -p\n",
	"show --ext-diff",
	"blame -S x",
	"ls-files --recurse-submodules",
	"ls-files -X x",
	"cat-file --batch",
	"describe --dirty",
	"status -v",
	"rev-parse --parseopt",
])("%j may be more than read-only", (line) => {
	expect(readingOf(readGitWords(line.split(" ")))).toBeUndefined();
});
