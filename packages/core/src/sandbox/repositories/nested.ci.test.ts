import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasBubblewrap, shellCommand } from "../../testing/commands.ts";
import { createDirectory } from "../../testing/tool-context.ts";
import type { Command } from "../../vocabulary/sandbox.ts";
import { createSandboxes } from "../sandboxes.ts";

const testInside = test.skipIf(!hasBubblewrap);

let directory: Awaited<ReturnType<typeof createDirectory>>;
let root: string;
let sandboxes: ReturnType<typeof createSandboxes>;

beforeEach(async () => {
	directory = await createDirectory();
	root = join(directory.path, "work");
	await mkdir(root);
	await mkdir(join(directory.path, "home"));
	await writeFile(join(directory.path, "home/.gitconfig"), "[user]\n\tname = a\n\temail = a@b\n");
	sandboxes = createSandboxes({
		mode: "required",
		clock: systemClock,
		ids: createIds(),
		log: silentLogger,
		hidden: [join(root, "data")],
		environment: { PATH: process.env["PATH"], HOME: join(directory.path, "home") },
	});
});
afterEach(() => directory[Symbol.asyncDispose]());

async function run(line: string, fields: Partial<Command> = {}): Promise<string> {
	const sandbox = await sandboxes.of({ chat: false, roots: [root] });
	const { output, code } = await sandbox.run(shellCommand(line, root, fields));
	return `${output}${code === 0 ? "" : `[${code}]`}`;
}

function git(args: readonly string[], cwd = root): string {
	const env = {
		PATH: process.env["PATH"],
		HOME: join(directory.path, "home"),
		GIT_CONFIG_NOSYSTEM: "1",
		GIT_AUTHOR_NAME: "a",
		GIT_AUTHOR_EMAIL: "a",
		GIT_COMMITTER_NAME: "a",
		GIT_COMMITTER_EMAIL: "a",
	};
	const { stdout, stderr, status } = spawnSync("git", args, { cwd, env, encoding: "utf8" });
	if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
	return stdout;
}

async function repository(path: string): Promise<string> {
	const top = join(root, path);
	await mkdir(top, { recursive: true });
	git(["init", "-q", "-b", "main"], top);
	await put(join(path, "file"), "text\n");
	git(["add", "."], top);
	git(["commit", "-q", "-m", "first"], top);
	return top;
}

async function put(path: string, text: string): Promise<void> {
	await mkdir(dirname(join(root, path)), { recursive: true });
	await writeFile(join(root, path), text);
}

const planted = "printf '#!/bin/sh\\ntouch %s/planted\\n' \"$PWD\"";

testInside(
	"hooks and settings of a nested repository are read only, and other files are writable",
	async () => {
		await repository("code/sub");
		await put("code/sub/.envrc", "");
		await put("code/sub/.github/workflows/ci.yml", "on: push\n");
		const tries = [
			...["echo x >code/sub/.git/hooks/pre-commit", "echo x >>code/sub/.git/config"],
			...[
				"git -C code/sub config core.hooksPath x",
				"rm -rf code/sub/.git/hooks",
				"mv code/sub/.git/config x",
			],
			...["echo x >code/sub/.envrc", "mv code/sub/.github x", "echo x >code/sub/.github/workflows/b.yml"],
		];
		for (const line of tries) expect(await run(`(${line}) 2>/dev/null`), line).toMatch(/\[\d+\]$/);
		const work =
			"cd code/sub && echo x >new && git add . && git commit -qm second && git checkout -qb other; " +
			"git stash -q; git tag one; git gc -q; git log --format=%s";
		expect(await run(work)).toBe("second\nfirst\n");
		expect(git(["log", "--format=%s"], join(root, "code/sub"))).toBe("second\nfirst\n");
		expect(await run("mkdir code/sub/src && cp code/sub/file code/sub/src/ && ls code/sub/src")).toBe(
			"file\n",
		);
	},
);

testInside(
	"skills of directories below a root are read only at any depth, and other files are writable",
	async () => {
		await put("apps/shop/.parley/skills/build/SKILL.md", "Build.\n");
		await put("apps/shop/.parley/skills/build/scripts/build.sh", "make\n");
		await put("apps/shop/ui/.claude/skills/lint.md", "Lint.\n");
		const tries = [
			"echo x >apps/shop/.parley/skills/build/SKILL.md",
			"echo x >>apps/shop/.parley/skills/build/scripts/build.sh",
			"echo x >apps/shop/.parley/skills/new.md",
			"mv apps/shop/.parley/skills apps/shop/.parley/old",
			"mv apps/shop/.parley apps/shop/old",
			"rm -r apps/shop/ui/.claude/skills",
			"echo x >apps/shop/ui/.claude/skills/new.md",
		];
		for (const line of tries) expect(await run(`(${line}) 2>/dev/null`), line).toMatch(/\[\d+\]$/);
		expect(await run("cat apps/shop/.parley/skills/build/SKILL.md && echo x >apps/shop/ui/page.ts")).toBe(
			"Build.\n",
		);
		expect(await run("(echo x >apps/shop/.parley/skills/new.md)", { power: "steer" })).toBe("");
	},
);

testInside("hooks of submodules and separate working trees are read only, too", async () => {
	const top = await repository("sub");
	const other = await repository("other");
	git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "deep/inner"], top);
	git(["worktree", "add", "-q", "../tree"], top);
	const parts = ["sub/.git/modules/deep/inner/config", "sub/.git/worktrees/tree/commondir"];
	for (const path of parts) {
		expect(existsSync(join(root, path)), path).toBe(true);
		expect(await run(`(echo x >>${path}) 2>/dev/null`), path).toMatch(/\[\d+\]$/);
	}
	const hook = "sub/.git/modules/deep/inner/hooks/post-checkout";
	for (const path of [hook, "tree/.git", "sub/deep/inner/.git"]) {
		expect(await run(`(echo x >${path}) 2>/dev/null`), path).toMatch(/\[\d+\]$/);
	}
	const work =
		"(cd tree && echo x >a && git add a && git commit -qm a); cd sub/deep/inner && git status --short";
	expect(await run(work)).toBe("");
});

testInside("repositories that a command creates can be used, and are not reported", async () => {
	await repository("other");
	const created = await run(
		"git clone -q other clone 2>&1 && git init -q new && git clone -q --bare other bare.git && cd clone && git log --format=%s && " +
			"git worktree add -q ../tree 2>&1 && git -C ../tree status --short",
	);
	expect(created).toBe("first\n");
	expect(git(["remote", "get-url", "origin"], join(root, "clone"))).toBe(`${root}/other\n`);
	expect(await run("(echo x >clone/.git/hooks/pre-commit) 2>/dev/null")).toMatch(/\[\d+\]$/);
	expect(await run("(echo x >>bare.git/config) 2>/dev/null")).toMatch(/\[\d+\]$/);
});

testInside("hooks of a repository that a command created are renamed and reported", async () => {
	await repository("other");
	const reported = await run(
		`git clone -q other clone && ${planted} >clone/.git/hooks/post-commit && chmod +x clone/.git/hooks/post-commit`,
	);
	expect(reported).toMatch(/^\n\[held back: ".*\/clone\/\.git\/hooks" appeared .*held-back-/);
	git(["commit", "-q", "--allow-empty", "-m", "x"], join(root, "clone"));
	expect(existsSync(join(root, "planted"))).toBe(false);
});

testInside("settings that name programs are removed from a repository that a command created", async () => {
	await repository("other");
	const settings = [
		...[
			"core.fsmonitor ./x",
			"core.hooksPath h",
			"alias.st '!x'",
			"filter.f.clean x",
			"include.path ../more",
		],
		...["core.sshCommand x", "submodule.s.update '!x'", "diff.d.textconv x", "core.worktree /elsewhere"],
	];
	const reported = await run(
		`git clone -q other clone && cd clone && git config user.name me && ${settings.map((one) => `git config ${one}`).join(" && ")}`,
	);
	expect(reported).toMatch(/^\n\[removed: .*of ".*\/clone\/\.git\/config"/);
	const names = git(["config", "--local", "--list", "--name-only"], join(root, "clone")).split("\n");
	expect(names).toEqual(expect.arrayContaining(["user.name", "remote.origin.url"]));
	for (const setting of settings) {
		const name = (setting.split(" ")[0] ?? "").toLowerCase();
		expect(reported.toLowerCase()).toContain(name);
		expect(names).not.toContain(name);
	}
});

testInside("settings that cannot be read are moved aside as they are", async () => {
	const reported = await run(
		"git init -q a; echo '[core' >>a/.git/config; echo fsmonitor >>a/.git/config; " +
			"git init -q b; mv b/.git/config c; ln -s ../../c b/.git/config; " +
			"git init -q d; head -c 600000 /dev/zero >>d/.git/config",
	);
	expect(reported.match(/\/(?:a|b|d)\/\.git\/config"/g)).toHaveLength(3);
	expect(["a", "b", "d"].filter((name) => existsSync(join(root, name, ".git/config")))).toEqual([]);
});

testInside("a changed pointer from git to another repository is removed", async () => {
	await repository("sub");
	const ways = [
		"echo ../../EVIL >sub/.git/commondir",
		"mkdir a && echo ref: refs/heads/x >EVIL/HEAD && echo 'gitdir: ../EVIL' >a/.git",
		"mkdir b && echo ref: refs/heads/x >EVIL/HEAD && ln -s ../EVIL b/.git",
		"echo ref: refs/heads/x >EVIL/HEAD",
		"mv sub old; mkdir -p sub/.git && cp -r old/.git/refs old/.git/objects old/.git/HEAD EVIL/config sub/.git/",
		"mkdir -p sub/.git/modules/x && cp EVIL/config sub/.git/modules/x",
		"mkdir -p sub/.git/worktrees/x && cp EVIL/config sub/.git/worktrees/x/config.worktree",
	];
	for (const [n, way] of ways.entries()) {
		const make = `mkdir -p evil${n}/objects evil${n}/refs; git config --file evil${n}/config core.fsmonitor x`;
		const reported = await run(`(${make}; ${way.replaceAll("EVIL", `evil${n}`)}) 2>/dev/null`);
		expect(reported, way).toMatch(/\[(?:held back|removed): /);
	}
	expect(readFileSync(join(root, "old/.git/config"), "utf8")).not.toContain("fsmonitor");
});

testInside("hooks and settings that are links cannot be followed to be changed", async () => {
	const top = await repository("sub");
	git(["config", "core.editor", "operators"], top);
	spawnSync("rm", ["-r", join(top, ".git/hooks")]);
	await put("hooks/pre-commit", "#!/bin/sh\n");
	await symlink("../../hooks", join(top, ".git/hooks"));
	expect(await run("(echo x >hooks/pre-commit) 2>/dev/null")).toMatch(/\[\d+\]$/);
	const reported = await run("mkdir evil; ln -sfn ../../evil sub/.git/hooks");
	expect(reported).toMatch(/\[held back: ".*\/sub\/\.git\/hooks"/);
	// The operator's settings stay unchanged, regardless of their values.
	expect(git(["config", "core.editor"], top)).toBe("operators\n");
});

testInside("paths beyond the search limit are reported, and not changed", async () => {
	await repository("sub/deep/er");
	await put("sub/deep/er/.git/hooks/pre-commit", "#!/bin/sh\n");
	for (let n = 0; n < 20; n++) await mkdir(join(root, `many/${n}`), { recursive: true });
	expect(spawnSync("sh", ["-c", "seq 25000 | xargs touch"], { cwd: join(root, "many") }).status).toBe(0);
	const reported = await run("rm -rf many; git init -q new; git -C new config core.fsmonitor x");
	expect(reported).toMatch(/\[not checked: /);
	expect(reported).toMatch(/\[removed: core\.fsmonitor /);
	expect(readdirSync(join(root, "sub/deep/er/.git/hooks"))).toContain("pre-commit");
});

testInside("with many repositories, the nearest are protected", async () => {
	const names = Array.from({ length: 120 }, (_, n) => `r${String(n).padStart(3, "0")}`);
	for (const name of names) {
		await put(`${name}/.git/HEAD`, "ref: refs/heads/main\n");
		await put(`${name}/.git/config`, "");
		await mkdir(join(root, name, ".git/hooks"));
	}
	const reported = await run("(echo x >r000/.git/config) 2>/dev/null || echo no");
	expect(reported).toMatch(/^no\n\n\[not protected: /);
});

testInside("hidden repositories are ignored", async () => {
	await repository("data/workspaces/one");
	expect(await run("ls -A data; echo done")).toBe("done\n");
});
