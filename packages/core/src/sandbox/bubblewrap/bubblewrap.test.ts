import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile as put, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasBubblewrap, shellCommand } from "../../testing/commands.ts";
import { createDirectory } from "../../testing/tool-context.ts";
import type { Command, Sandbox, Sandboxes } from "../../vocabulary/sandbox.ts";
import { limitsOfProcess } from "../commands/command-limits.ts";
import { createSandboxes } from "../sandboxes.ts";
import { memorySizes } from "./inside.ts";

const testInside = test.skipIf(!hasBubblewrap);

let directory: Awaited<ReturnType<typeof createDirectory>>;
let root: string;
let data: string;
let own: Sandboxes | undefined;

beforeEach(async () => {
	own = undefined;
	directory = await createDirectory();
	root = join(directory.path, "home/code");
	data = join(directory.path, "home/code/data");
	await mkdir(join(root, ".git/hooks"), { recursive: true });
	await mkdir(join(data, "workspaces/one"), { recursive: true });
	await putFiles({ "home/code/.git/config": "", "home/code/data/token": "secret", beside: "canary" });
});
afterEach(() => directory[Symbol.asyncDispose]());

async function putFiles(files: Readonly<Record<string, string>>): Promise<void> {
	for (const [name, text] of Object.entries(files)) {
		const path = join(directory.path, name);
		await mkdir(dirname(path), { recursive: true });
		await put(path, text);
	}
}

function sandboxes(): Sandboxes {
	own ??= sandboxesWith({});
	return own;
}

function sandboxesWith(environment: Readonly<Record<string, string | undefined>>): Sandboxes {
	return createSandboxes({
		mode: "required",
		clock: systemClock,
		ids: createIds(),
		log: silentLogger,
		hidden: [data],
		environment: { PATH: process.env["PATH"], HOME: join(directory.path, "home"), ...environment },
	});
}

async function sandbox(...roots: string[]): Promise<Sandbox> {
	return sandboxes().of({ chat: false, roots: roots.length > 0 ? roots : [root] });
}

async function run(line: string, fields: Partial<Command> = {}, where?: Sandbox): Promise<string> {
	const { output, code } = await (where ?? (await sandbox())).run(shellCommand(line, root, fields));
	return `${output}${code === 0 ? "" : `[${code}]`}`;
}

testInside("a listener receives only the command, and no details of the sandbox setup", async () => {
	const received: Uint8Array[] = [];
	await run("echo one; echo two", { onOutput: (chunk) => void received.push(chunk) });
	expect(Buffer.concat(received).toString()).toBe("one\ntwo\n");
});

testInside("a command works in the roots with programs of the system, and returns its own exit", async () => {
	expect(await run("echo x >made; cat made; pwd; exit 3")).toBe(`x\n${root}\n[3]`);
	expect(await readFile(join(root, "made"), "utf8")).toBe("x\n");
	expect(await run("whoami; id -u; echo ~; getent hosts localhost >/dev/null; git --version")).toMatch(
		new RegExp(`^\\S+\\n${process.getuid?.()}\\n${directory.path}/home\\ngit version`),
	);
});

testInside(
	"a command has the allowed variables and its own, and no other process sees a password",
	async () => {
		const where = await sandboxesWith({ API_KEY: "canary", LANG: "C" }).of({ chat: false, roots: [root] });
		const fields = { environment: { PASSWORD: "hunter2" } };
		expect(await run('echo "$PASSWORD $LANG"; ! env | grep API_KEY', fields, where)).toBe("hunter2 C\n");
		expect(
			await run("cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n' | grep -c hunter", fields, where),
		).toMatch(/^[1-9]/);
		const abort = new AbortController();
		const line = "echo up >up; sleep 20";
		const running = where.run(shellCommand(line, root, { ...fields, signal: abort.signal }));
		await expect.poll(() => existsSync(join(root, "up"))).toBe(true);
		expect(runningWith(line)).not.toEqual([]);
		expect(runningWith("hunter2")).toEqual([]);
		abort.abort();
		await running;
	},
);

function runningWith(text: string): string[] {
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	const lines = pids.map((pid) => textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " "));
	return lines.filter((line) => line.includes(text));
}

function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		// The process has ended, or the user of the test cannot read the file.
		return "";
	}
}

testInside("all processes end with the command, its timeout or its cancellation", async () => {
	const mark = `${Math.floor(systemClock.now() / 1000)}.25`;
	const left = (): string[] => runningWith(`sleep ${mark}`);
	const leave = `(setsid sleep ${mark} &) & nohup sh -c 'sleep ${mark} & sleep ${mark}' >/dev/null 2>&1 &`;
	expect(await run(`${leave} sleep 0.1; echo done`)).toBe("done\n");
	await expect.poll(left).toEqual([]);
	const where = await sandbox();
	const timed = await where.run(shellCommand(`${leave} sleep ${mark}`, root, { timeoutMs: 300 }));
	expect(timed.timedOut).toBe(true);
	await expect.poll(left).toEqual([]);
	const abort = new AbortController();
	const running = where.run(shellCommand(`${leave} touch up; sleep ${mark}`, root, { signal: abort.signal }));
	await expect.poll(() => existsSync(join(root, "up"))).toBe(true);
	abort.abort();
	expect((await running).code).not.toBe(0);
	await expect.poll(left).toEqual([]);
});

testInside("a command is asked to end before it is killed", async () => {
	const where = await sandbox();
	const abort = new AbortController();
	const line = "trap 'echo bye; exit 0' TERM; touch up; while :; do sleep 0.05; done";
	const running = where.run(shellCommand(line, root, { signal: abort.signal }));
	await expect.poll(() => existsSync(join(root, "up"))).toBe(true);
	abort.abort();
	expect((await running).output).toContain("bye\n");
});

testInside("existing files that control later commands are read-only", async () => {
	await putFiles({
		"home/code/.github/workflows/ci.yml": "on: push\n",
		"home/code/.envrc": "",
		"home/code/.git/modules/sub/config": "",
	});
	const tries = [
		...["echo x >.git/hooks/pre-commit", "echo x >.git/config", "mv .git x", "rm -rf .git/hooks"],
		...["echo x >.github/workflows/ci.yml", "echo x >.github/workflows/new.yml", "mv .github x"],
		...["echo x >.envrc", "mv .envrc x", "ln -sf x .envrc", "echo x >.git/modules/sub/config"],
		...["mv .git/modules x", "mount --bind . .git/hooks", "chmod +w .git/hooks && touch .git/hooks/x"],
	];
	const where = await sandbox();
	for (const line of tries) expect(await run(`${line} 2>/dev/null`, {}, where), line).toMatch(/\[\d+\]$/);
	expect(await run("echo x >.git/HEAD; echo x >.github/other; cat .envrc")).toBe("");
	expect(await run("echo x >.git/config; echo x >.envrc", { power: "steer" })).toBe("");
	expect(await run("touch made 2>/dev/null", { power: "read" })).toBe("[1]");
});

testInside("new files that would control later commands are renamed and reported", async () => {
	await symlink("a", join(root, ".vscode"));
	const reported = await run(
		"echo x >.envrc; mkdir -p .github/workflows; echo x >.github/workflows/a.yml; ln -sfn b .vscode",
	);
	expect(reported).toMatch(
		/\[held back: ".*" appeared during the command and would control later commands; each was renamed to …held-back-/,
	);
	const names = readdirSync(root)
		.filter((name) => name.startsWith("."))
		.map((name) => name.replace(/held_\w+$/, "N"));
	expect(names.sort()).toEqual([".envrc.held-back-N", ".git", ".github", ".vscode.held-back-N"]);
	expect(readdirSync(join(root, ".github"))).toEqual([expect.stringMatching(/^workflows\.held-back-/)]);
});

testInside("the data directory is hidden, except a workspace in it", async () => {
	expect(await run("ls data; cat data/token; echo x >data/x")).not.toContain("secret");
	expect(existsSync(join(data, "x"))).toBe(false);
	const workspace = join(data, "workspaces/one");
	const where = await sandbox(workspace);
	const { output } = await where.run(
		shellCommand(`echo x >made; ls -A ${data} ${data}/workspaces`, workspace),
	);
	expect(output).toBe(`${data}:\nworkspaces\n\n${data}/workspaces:\none\n`);
	expect(existsSync(join(workspace, "made"))).toBe(true);
});

testInside("keys in a home directory that is a root are hidden", async () => {
	const home = join(directory.path, "home");
	await putFiles({
		"home/.ssh/id_rsa": "KEY",
		"home/.netrc": "KEY",
		"home/.config/gh/hosts.yml": "KEY",
		"home/notes": "text",
		"home/.bashrc": "rc",
	});
	const where = await sandbox(home);
	const line = "cat notes; grep -r KEY .ssh .netrc .config; echo x >.bashrc || echo no";
	const { output } = await where.run(shellCommand(`(${line}) 2>/dev/null`, home));
	expect(output).toBe("textno\n");
});

testInside(
	"a command reads only the approved paths outside the roots, and changes none of them",
	async () => {
		const elsewhere = join(directory.path, "elsewhere");
		await putFiles({ "elsewhere/x": "seen" });
		const where = await sandbox();
		const { output } = await where.run(shellCommand("cat x; touch y 2>/dev/null || echo no", elsewhere));
		expect(output).toBe("seenno\n");
		const full = await where.run(shellCommand(`cat ${elsewhere}/x; cat ${data}/token; echo; id -un`, "/"));
		expect(full.output).toContain("seen");
		expect(full.output).not.toContain("secret");
		for (const place of ["/proc", "/dev"]) {
			expect(
				(await where.run(shellCommand("ls 1/environ nvme* sd* 2>/dev/null | wc -l", place))).output,
			).toMatch(/^[01]\n/);
		}
	},
);

testInside("a program of the gateway is visible only to its command", async () => {
	await putFiles({ "own/tool": "#!/bin/sh\necho mine\n" });
	const program = join(directory.path, "own/tool");
	spawnSync("chmod", ["755", program]);
	const where = await sandbox();
	const command: Command = { ...shellCommand("", root), executable: program, args: [] };
	expect((await where.run(command)).output).toBe("mine\n");
	expect(await run(`ls ${program} 2>/dev/null`)).toBe("[2]");
});

testInside(
	"the commit author is the configured one, and no other setting of the person is visible",
	async () => {
		const settings =
			'[user]\n\tname = Ada \\"L\\"\n[credential]\n\thelper = !echo canary\n[core]\n\tsshCommand = canary\n';
		await putFiles({ "home/.gitconfig": settings });
		expect(await run("git config --global --list")).toBe('user.name=Ada "L"\n');
		const chat = await sandboxes().of({ chat: true, roots: [root] });
		expect(await run("git config user.name", {}, chat)).toBe("Parley\n");
	},
);

testInside("directories with sockets of services are hidden from a command in any directory", async () => {
	const where = await sandbox();
	const { output } = await where.run(shellCommand("ls -A /run | grep -v current-system; pwd", "/"));
	expect(output).toBe("/\n");
	expect((await where.run(shellCommand("ls -A . | wc -l", "/run"))).output).toBe("0\n");
});

testInside("commands of chat cannot read secrets in the roots, and those of the operator can", async () => {
	await putFiles({
		"home/code/.env": "KEY",
		"home/code/deep/er/id_rsa": "KEY",
		"home/code/.aws/config": "KEY",
		"home/code/deep/prod": "KEY",
		"home/code/deep/notes": "KEY to read",
	});
	await symlink("prod", join(root, "deep/.env.local"));
	const chat = await sandboxes().of({ chat: true, roots: [root] });
	const line =
		"grep -r KEY . ; cat .env deep/er/id_rsa deep/.env.local deep/prod; perl -pe1 .env .aws/config; ls -A .aws";
	for (const power of ["read", "work", "steer"] as const) {
		const { output } = await chat.run(shellCommand(`(${line}) 2>/dev/null`, root, { power }));
		expect(output).toBe("./deep/notes:KEY to read\n");
	}
	expect(await run("cat .env deep/er/id_rsa")).toBe("KEYKEY");
	expect(chat.profile).not.toBe((await sandbox()).profile);
});

testInside("every process has resource limits", async () => {
	const line = "ulimit -n; ulimit -f; ulimit -t; ulimit -v; ulimit -c; cat /proc/self/oom_score_adj";
	const { features } = await sandboxes().check();
	const { v } = limitsOfProcess(features?.memory ?? "address-space");
	expect(await run(line)).toBe(`1024\n1048576\n600\n${v}\n0\n500\n`);
	expect(await run("ulimit -f", { maxFileBytes: 10_000 })).toBe("9\n");
	expect(await run("ulimit -f", { maxFileBytes: 2 ** 40 })).toBe("1048576\n");
	expect(await run("ulimit -f; echo x >small && cat small", { maxFileBytes: 1 })).toBe("1\nx\n");
});

testInside("files in memory have a limit, and /dev accepts none", async () => {
	const places = ["/tmp", "/var/tmp", "/dev/shm", "~"];
	const sizes = await run(
		`for place in ${places.join(" ")}; do df -k --output=size "$place" | tail -n 1; done`,
	);
	const { home, tmp, varTmp, shm } = memorySizes();
	expect(sizes.trim().split(/\s+/).map(Number)).toEqual([tmp, varTmp, shm, home].map((size) => size / 1024));
	expect(await run("touch /dev/x 2>/dev/null || echo no; echo x >/dev/null && echo written")).toBe(
		"no\nwritten\n",
	);
	expect(await run("mount | grep -c x; cat /proc/keys 2>/dev/null")).not.toContain("keyring");
});

testInside("a process gets no more memory than its limit", async () => {
	const { features } = await sandboxes().check();
	const { v } = limitsOfProcess(features?.memory ?? "address-space");
	const line = (kib: number): string => `perl -e '$x = "a" x (1024 * ${kib}); print length $x'`;
	expect(await run(line(1024))).toBe(String(1024 * 1024));
	expect(await run(line(v + 1))).toMatch(/Out of memory/);
});

testInside("a command has a session keyring of its own if keyctl(1) is installed", async ({ skip }) => {
	const { features } = await sandboxes().check();
	skip(features?.keyring !== "own", `NOT RUN: the session keyring is ${features?.keyring} here`);
	// The filter denies all calls about keys inside the sandbox, so the test reads the kernel's list outside the sandbox.
	const keyrings = (): string[] =>
		readFileSync("/proc/keys", "utf8").match(/^\w+(?=.* keyring +_ses: )/gm) ?? [];
	const before = new Set(keyrings());
	const abort = new AbortController();
	const where = await sandbox();
	const running = where.run(shellCommand("touch up; exec sleep 20.125", root, { signal: abort.signal }));
	await expect.poll(() => existsSync(join(root, "up"))).toBe(true);
	expect(keyrings().filter((serial) => !before.has(serial))).not.toEqual([]);
	abort.abort();
	await running;
});

testInside("a command has a limit of processes", async () => {
	expect(await run("ulimit -u")).toBe("256\n");
	expect(await run("ulimit -Hu")).toBe("256\n");
});

testInside("a sandbox that cannot be built is reported, and nothing runs", async () => {
	const where = await sandbox();
	await expect(where.run(shellCommand(`touch ${root}/made`, "/usr/gone"))).rejects.toThrow(
		/^cannot run the command: the sandbox could not be set up: .*gone.*\. The command did not run\. .*then try again\. .*`parley doctor`\.$/,
	);
	expect(existsSync(join(root, "made"))).toBe(false);
});
