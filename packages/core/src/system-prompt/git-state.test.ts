import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, ParleyError, systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { createUnsandboxed } from "../sandbox/unsandboxed.ts";
import type { Command, CommandOutcome, Sandbox } from "../sandbox.ts";
import { describeGit } from "./git-state.ts";

/** A sandbox in which git gives the same two answers to everybody. */
function answeringGit(status: Partial<CommandOutcome>, log: Partial<CommandOutcome> = {}) {
	const commands: Command[] = [];
	const sandbox: Sandbox = {
		mode: "off",
		profile: "test",
		environment: {},
		network: undefined,
		run: async (command) => {
			commands.push(command);
			const answer = command.args.includes("status") ? status : log;
			return { code: 0, signal: null, output: "", timedOut: false, ...answer };
		},
	};
	return { commands, describe: () => describeGit(sandbox, "/garden") };
}

const head = (branch: string, oid = "11f542aeea7c4a2eee8e1bd9832fd233472f617e"): string =>
	`# branch.oid ${oid}\n# branch.head ${branch}\n`;

const changes = [
	"1 MM N... 100644 100644 100644 61780798228d 61780798228d bed.txt",
	"1 A. N... 000000 100644 100644 000000000000 f2ad6c76f011 new.txt",
	"1 .D N... 100644 100644 000000 61780798228d 61780798228d old.txt",
	"2 RM N... 100644 100644 100644 78981922613b 78981922613b R100 to.txt\tfrom.txt",
	"u UU N... 100644 100644 100644 100644 a b c both.txt",
	'? "q\\nw"',
	"? seeds/",
	"",
].join("\n");

test("branch, changes and last commit are told in one line", async () => {
	const git = answeringGit(
		{ output: head("main") + changes },
		{ output: "warning: x\nsubject Plant the beans\n" },
	);
	expect(await git.describe()).toBe(
		'branch main; 3 staged, 3 changed, 1 in conflict, 2 untracked; last commit "Plant the beans"',
	);
});

test("a clean tree, a detached head and a missing first commit are told", async () => {
	const log = { output: "subject x\n" };
	expect(await answeringGit({ output: head("main") }, log).describe()).toBe(
		'branch main; no changes; last commit "x"',
	);
	expect(await answeringGit({ output: head("(detached)") }, log).describe()).toMatch(
		/^detached head; no changes/,
	);
	const empty = answeringGit(
		{ output: head("main", "(initial)") },
		{ code: 128, output: "fatal: no commits" },
	);
	expect(await empty.describe()).toBe("branch main; no changes; no commit yet");
	const broken = answeringGit({ output: head("main") }, { code: 128, output: "fatal: bad object HEAD" });
	expect(await broken.describe()).toBe("branch main; no changes; last commit not known");
});

test("counts of an output that was cut are lower bounds", async () => {
	const git = answeringGit({ output: `${head("main")}? a\n${"x".repeat(256 * 1024)}` });
	expect(await git.describe()).toMatch(/^branch main; at least 1 untracked;/);
});

test("names of any length take a bounded place", async () => {
	const log = { output: `subject ${"y".repeat(5_000)}\n` };
	expect((await answeringGit({ output: head("x".repeat(5_000)) }, log).describe()).length).toBeLessThan(500);
});

test("what keeps git from answering is told, not thrown", async () => {
	const none = {
		code: 128,
		output: "fatal: not a git repository (or any of the parent directories): .git\n",
	};
	expect(await answeringGit(none).describe()).toBe("not a git repository");
	const dubious = { code: 128, output: "fatal: detected dubious ownership in repository at '/garden'\nmore" };
	expect(await answeringGit(dubious).describe()).toBe(
		"not known: git ended with 128: fatal: detected dubious ownership in repository at '/garden'",
	);
	const killed = { code: null, signal: "SIGKILL", timedOut: true } as const;
	expect(await answeringGit(killed).describe()).toBe("not known: git took longer than 2 seconds");
	const refusing: Sandbox = {
		mode: "off",
		profile: "test",
		environment: {},
		network: undefined,
		run: () => Promise.reject(new ParleyError('there is no "git"', { code: "not_found" })),
	};
	expect(await describeGit(refusing, "/garden")).toBe('not known: there is no "git"');
});

test("git gets two seconds a time, the working directory, and no program of the repository to start", async () => {
	const git = answeringGit({ output: head("main") });
	await git.describe();
	expect(git.commands).toHaveLength(3);
	for (const command of git.commands) {
		expect(command).toMatchObject({ executable: "git", cwd: "/garden", timeoutMs: 2_000 });
		expect(command.args).toContain("core.fsmonitor=false");
	}
});

test("no program that a repository names starts while git looks", async () => {
	const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-git-"));
	try {
		const git = (...args: readonly string[]) =>
			execFileSync("git", args, { cwd: directory, stdio: "ignore" });
		git("init", "-b", "main");
		await writeFile(join(directory, "bed.txt"), "beans\n");
		git("add", ".");
		git("-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-m", "Plant");
		git("config", "filter.trap.clean", "touch sprung; cat");
		git("config", "filter.trap.smudge", "touch sprung; cat");
		git("config", "filter.trap.required", "true");
		git("config", "filter.other.trap.clean", "touch sprung; cat");
		git("config", "core.fsmonitor", "touch sprung; false");
		await writeFile(join(directory, ".gitattributes"), "*.txt filter=trap\n");
		await writeFile(join(directory, "bed.txt"), "peas!\n");
		const sandbox = createUnsandboxed({ environment: process.env, clock: systemClock, ids: createIds() });
		await expect(describeGit(sandbox, directory)).resolves.toMatch(/^branch main; 1 changed, 1 untracked/);
		expect(existsSync(join(directory, "sprung"))).toBe(false);
	} finally {
		await rm(directory, { recursive: true });
	}
});
