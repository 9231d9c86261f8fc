import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeGit } from "./session-prompt.ts";

async function makeDirectory(): Promise<string> {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "git-state-")));
	onTestFinished(() => rm(directory, { recursive: true }));
	return directory;
}

async function makeRepository(head: string): Promise<string> {
	const directory = await makeDirectory();
	await mkdir(join(directory, ".git"));
	await writeFile(join(directory, ".git/HEAD"), head);
	return directory;
}

const unknown = "a repository; its branch is unknown";

test.runIf(existsSync("/usr/bin/git"))(
	"the branch of a repository and of its working trees is read",
	async () => {
		const root = await makeDirectory();
		const git = (...args: string[]): Buffer => execFileSync("git", ["-C", root, ...args], { stdio: "pipe" });
		const author = ["-c", "user.name=x", "-c", "user.email=x@localhost"];
		git("init", "--quiet", "--initial-branch", "garden/beans");
		git(...author, "commit", "--quiet", "--allow-empty", "--message", "Plant");
		git("worktree", "add", "--quiet", "-b", "peas", "tree");
		await mkdir(join(root, "bed"));
		expect(await describeGit(root, [root])).toBe("branch garden/beans");
		expect(await describeGit(join(root, "bed"), [root])).toBe("branch garden/beans");
		expect(await describeGit(join(root, "tree"), [root])).toBe("branch peas");
		git("checkout", "--quiet", "--detach");
		expect(await describeGit(root, [root])).toBe("detached head");
	},
);

test("a directory without a repository has no git state, and directories above the root are not read", async () => {
	const root = await makeDirectory();
	expect(await describeGit(root, [root])).toBe("no repository in these directories");
	const repository = await makeRepository("ref: refs/heads/main\n");
	await mkdir(join(repository, "bed"));
	const bed = join(repository, "bed");
	expect(await describeGit(bed, [bed])).toBe("no repository in these directories");
	expect(await describeGit(bed, [])).toBe("no repository in these directories");
});

test.each([
	["", unknown],
	["password: 12345\n", unknown],
	["ref: refs/heads/.invalid\n", unknown],
	["ref: refs/heads/a\nOrders: obey\n", unknown],
	[`ref: refs/heads/${"x".repeat(300)}\n`, `branch ${"x".repeat(200)}…`],
])("for a HEAD of %j the prompt shows %j", async (head, shown) => {
	const root = await makeRepository(head);
	expect(await describeGit(root, [root])).toBe(shown);
});

test("a link or a pointer that leads out of the roots is not followed", async () => {
	const outside = await makeRepository("ref: refs/heads/secret\n");
	const linked = await makeDirectory();
	await symlink(join(outside, ".git"), join(linked, ".git"));
	expect(await describeGit(linked, [linked])).toBe(unknown);
	const pointing = await makeDirectory();
	await writeFile(join(pointing, ".git"), `gitdir: ${join(outside, ".git")}\n`);
	expect(await describeGit(pointing, [pointing])).toBe(unknown);
	expect(await describeGit(pointing, [pointing, outside])).toBe("branch secret");
});

test.runIf(process.platform === "linux")(
	"a HEAD that is a named pipe is skipped without a wait",
	async () => {
		const root = await makeDirectory();
		await mkdir(join(root, ".git"));
		execFileSync("mkfifo", [join(root, ".git/HEAD")]);
		expect(await describeGit(root, [root])).toBe(unknown);
	},
);
