import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { comparedWith } from "../../scripts/test-near.mjs";

async function openClone() {
	const directory = await mkdtemp(join(tmpdir(), "parley-near-"));
	const clone = join(directory, "clone");
	const run = (cwd: string, ...args: string[]) =>
		execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" })
			.split("\n")
			.filter(Boolean);
	const commit = (cwd: string) => run(cwd, "commit", "--quiet", "--allow-empty", "--message", "one");
	const origin = join(directory, "origin");
	run(directory, "init", "--quiet", "--initial-branch=main", origin);
	commit(origin);
	commit(origin);
	run(directory, "clone", "--quiet", origin, clone);
	const git = (...args: string[]) => run(clone, ...args);
	return {
		git,
		commit: () => commit(clone),
		at: (name: string) => git("rev-parse", name)[0],
		edit: () => writeFile(join(clone, "file"), "text"),
		[Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
	};
}

test("a branch is compared with the commit where it left main", async () => {
	await using clone = await openClone();
	clone.git("switch", "--quiet", "--create", "topic");
	expect(comparedWith(clone.git)).toBe(clone.at("main"));
	clone.commit();
	expect(comparedWith(clone.git)).toBe(clone.at("main"));
});

test("a branch of a clone without main is compared with origin/main", async () => {
	await using clone = await openClone();
	clone.git("switch", "--quiet", "--create", "topic");
	clone.git("branch", "--quiet", "--delete", "--force", "main");
	clone.commit();
	expect(comparedWith(clone.git)).toBe(clone.at("origin/main"));
});

test("main is compared with origin/main, and after a push with the commit before the latest", async () => {
	await using clone = await openClone();
	expect(comparedWith(clone.git)).toBe(clone.at("HEAD~1"));
	await clone.edit();
	expect(comparedWith(clone.git)).toBe(clone.at("HEAD"));
	clone.commit();
	clone.commit();
	expect(comparedWith(clone.git)).toBe(clone.at("origin/main"));
});
