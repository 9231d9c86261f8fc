import { spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { ManualClock, paced } from "@parley/base/testing";
import { afterAll, expect, test } from "vitest";
import type { Command } from "../../vocabulary/sandbox.ts";
import { createUnsandboxed } from "./unsandboxed.ts";

const onLinux = process.platform === "linux";
const cwd = realpathSync(mkdtempSync(join(tmpdir(), "parley-sandbox-")));
afterAll(() => rmSync(cwd, { recursive: true }));

function shell(script: string, options: Partial<Command> = {}): Command {
	return {
		executable: "/bin/sh",
		args: ["-c", script],
		cwd,
		timeoutMs: paced(20_000),
		maxOutputBytes: 64 * 1024,
		signal: new AbortController().signal,
		...options,
	};
}

function sandboxOf(
	clock = systemClock,
	environment: Record<string, string | undefined> = process.env,
): ReturnType<typeof createUnsandboxed> {
	return createUnsandboxed({ environment, clock, ids: createIds() });
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	return !onLinux || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

test("a command's output and exit code are returned", async () => {
	expect(await sandboxOf().run(shell("echo out; echo err >&2; exit 3"))).toEqual({
		code: 3,
		signal: null,
		output: "out\nerr\n",
		timedOut: false,
	});
});

test.runIf(onLinux)("a command does not start in a link that replaced its directory", async () => {
	const [project, outside] = [join(cwd, "project"), join(cwd, "outside")];
	mkdirSync(join(project, "below"), { recursive: true });
	mkdirSync(join(outside, "below"), { recursive: true });
	renameSync(project, join(cwd, "aside"));
	symlinkSync(outside, project);
	for (const [path, real] of [
		[project, outside],
		[join(project, "below"), join(outside, "below")],
	] as const) {
		await expect(sandboxOf().run(shell("touch made", { cwd: path }))).rejects.toThrow(
			`cannot use the working directory ${JSON.stringify(path)}: it leads to ${JSON.stringify(real)} now`,
		);
		expect(existsSync(join(real, "made"))).toBe(false);
	}
});

test("standard output and error keep the order in which they were written", async () => {
	const script = "for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done";
	const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `o${i}\ne${i}\n`).join("");
	expect((await sandboxOf().run(shell(script))).output).toBe(expected);
});

test("arguments arrive unchanged in the given directory", async () => {
	const args = ["-n", "a b", "$HOME", "'", "\n", "*", "é"];
	const outcome = await sandboxOf().run(
		shell("", { args: ["-c", 'pwd; for a in "$@"; do echo "<$a>"; done', "sh", ...args] }),
	);
	expect(outcome.output).toBe(`${cwd}\n${args.map((arg) => `<${arg}>\n`).join("")}`);
});

test("variables of the command reach only it, and none replaces its marker", async () => {
	const environment = { GREETING: "hi", PARLEY_CALL: "mine" };
	const outcome = await sandboxOf().run(shell('echo "$GREETING $PARLEY_CALL"', { environment }));
	expect(outcome.output).toMatch(/^hi commands_/);
});

test("a program is found by its name on the PATH", async () => {
	const outcome = await sandboxOf().run(shell("", { executable: "echo", args: ["hi"] }));
	expect(outcome).toMatchObject({ code: 0, output: "hi\n" });
});

test("a program that does not exist, or may not be executed, is refused by name", async () => {
	const sandbox = sandboxOf();
	const plain = join(cwd, "plain.txt");
	writeFileSync(plain, "echo ran", { mode: 0o644 });
	for (const executable of ["no-such-program", "/no/such/program", cwd, plain, "./x", "../bin/ls", ""]) {
		await expect(sandbox.run(shell("", { executable }))).rejects.toMatchObject({
			code: "not_found",
			message: `there is no executable program ${JSON.stringify(executable)}: install it, or correct its name`,
		});
	}
});

test("a directory that does not exist is refused by name", async () => {
	await expect(sandboxOf().run(shell("pwd", { cwd: join(cwd, "gone") }))).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining(join(cwd, "gone")),
	});
});

test("a NUL in an argument is refused", async () => {
	await expect(sandboxOf().run(shell("echo a\0b"))).rejects.toMatchObject({ code: "failed_precondition" });
});

test("only allowed names of the environment reach the command", async () => {
	const environment = {
		PATH: process.env["PATH"],
		HOME: "/home/somebody",
		TZ: "UTC",
		ANTHROPIC_API_KEY: "canary",
		PARLEY_TOKEN: "canary",
		LD_PRELOAD: "/canary.so",
		BASH_ENV: "/canary.sh",
		NODE_OPTIONS: "--canary",
		SSH_AUTH_SOCK: "/canary.sock",
	};
	const { output } = await sandboxOf(systemClock, environment).run(shell("env"));
	expect(output).not.toContain("canary");
	expect(output).toContain("HOME=/home/somebody");
	const shellVariables = ["PWD", "OLDPWD", "SHLVL", "_"];
	const names = output.split("\n").flatMap((line) => (line === "" ? [] : [line.split("=")[0]]));
	expect(names.filter((name) => !shellVariables.includes(name ?? "")).sort()).toEqual([
		"HOME",
		"PARLEY_CALL",
		"PATH",
		"TZ",
	]);
});

test.runIf(onLinux)("a command inherits its three standard descriptors and no others", async () => {
	const { output } = await sandboxOf().run(shell("", { executable: "/bin/ls", args: ["/proc/self/fd"] }));
	// The fourth descriptor is the directory that ls reads.
	expect(output).toBe("0\n1\n2\n3\n");
});

test.runIf(onLinux && existsSync("/bin/bash"))(
	"a command does not get descriptors that the gateway inherited",
	() => {
		const script = `
		import { createIds, systemClock } from "@parley/base";
		import { createUnsandboxed } from ${JSON.stringify(join(import.meta.dirname, "unsandboxed.ts"))};
		const outcome = await createUnsandboxed({ environment: process.env, clock: systemClock, ids: createIds() }).run({
			executable: "/bin/ls", args: ["/proc/self/fd"], cwd: "/", timeoutMs: 20000, maxOutputBytes: 1000,
			signal: new AbortController().signal,
		});
		process.stdout.write(outcome.output);
	`;
		const launch = 'exec "$0" --input-type=module -e "$1" 9</etc/hosts 47</etc/hosts 200</etc/hosts';
		const result = spawnSync("/bin/bash", ["-c", launch, process.execPath, script], {
			cwd: import.meta.dirname,
			encoding: "utf8",
		});
		expect(result.stdout).toBe("0\n1\n2\n3\n");
	},
);

test("a command has an empty input", async () => {
	expect(await sandboxOf().run(shell("cat; echo done"))).toMatchObject({ code: 0, output: "done\n" });
});

test("a command has its own session and group, and is remembered while it runs and for 60 s after", async () => {
	const clock = new ManualClock();
	const sandbox = sandboxOf(clock);
	expect(sandbox.processes()).toEqual([]);
	const { output } = await sandbox.run(shell("ps -o pid=,pgid=,sid= -p $$"));
	const [pid, pgid, sid] = output.trim().split(/\s+/).map(Number);
	expect([pgid, sid]).toEqual([pid, pid]);
	expect(sandbox.processes()).toEqual([pid]);
	clock.advance(60_000);
	expect(sandbox.processes()).toEqual([pid]);
	clock.advance(1);
	expect(sandbox.processes()).toEqual([]);
});

test("a background process is killed when its command ends", async () => {
	// The clock is stopped, so the call can end only when all processes that use the output have ended.
	const { output, code } = await sandboxOf(new ManualClock()).run(shell("sleep 300 & echo $!"));
	expect(code).toBe(0);
	await expect.poll(() => isAlive(Number(output))).toBe(false);
});

test("a process that left the group cannot keep a call open by holding its output", async () => {
	const { output, code } = await sandboxOf().run(
		shell(`${process.execPath} -e '
			const child = require("node:child_process").spawn("sleep", ["300"], { detached: true, stdio: "inherit" });
			console.log(child.pid); child.unref();'`),
	);
	expect(code).toBe(0);
	if (isAlive(Number(output))) process.kill(Number(output), "SIGKILL");
});

test.runIf(onLinux)("processes that left the group are killed when the command is cancelled", async () => {
	const aborter = new AbortController();
	const file = join(cwd, "session");
	const pending = sandboxOf().run(
		shell(`setsid -w sh -c 'echo $$ > ${file}; exec sleep 45'`, { signal: aborter.signal }),
	);
	const readPid = () => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
	await expect.poll(readPid).toBeGreaterThan(0);
	expect(isAlive(readPid())).toBe(true);
	aborter.abort();
	expect(await pending).toMatchObject({ signal: "SIGTERM" });
	await expect.poll(() => isAlive(readPid())).toBe(false);
});

test.runIf(onLinux)(
	"processes that left the group are killed when the command ends or times out",
	async () => {
		const leave = "setsid sh -c 'echo $$; exec sleep 46' & sleep 0.1";
		const ended = await sandboxOf().run(shell(`(${leave})`));
		const clock = new ManualClock();
		const marker = join(cwd, "left");
		const pending = sandboxOf(clock).run(
			shell(`(${leave}); echo x > ${marker}; sleep 47`, { timeoutMs: 400 }),
		);
		await expect.poll(() => existsSync(marker)).toBe(true);
		clock.advance(400);
		const late = await pending;
		expect([ended.timedOut, late.timedOut]).toEqual([false, true]);
		for (const { output } of [ended, late]) {
			expect(Number(output)).toBeGreaterThan(0);
			await expect.poll(() => isAlive(Number(output))).toBe(false);
		}
	},
);

test("commands of one or two sandboxes do not affect each other", async () => {
	const sandbox = sandboxOf();
	expect(sandbox.marker).toBeUndefined();
	const waits = sandbox.run(shell("sleep 0.3; echo $PARLEY_CALL"));
	await sandbox.run(shell("true"));
	await sandboxOf().run(shell("true"));
	const { output, code } = await waits;
	expect(code).toBe(0);
	expect(output).toContain(String(sandbox.marker));
});

test("an abort ends the command and its background processes", async () => {
	const aborter = new AbortController();
	const sandbox = sandboxOf(new ManualClock());
	const pending = sandbox.run(shell("echo before; sleep 300 & sleep 300", { signal: aborter.signal }));
	await expect.poll(() => sandbox.processes().length).toBe(1);
	aborter.abort();
	expect(await pending).toMatchObject({ code: null, signal: "SIGTERM", timedOut: false });
});

test("a command that ignores SIGTERM is killed two seconds later", async () => {
	const aborter = new AbortController();
	const clock = new ManualClock();
	const marker = join(cwd, "ignoring");
	const pending = sandboxOf(clock).run(
		shell(`trap '' TERM; echo x > ${marker}; while :; do sleep 0.05; done`, { signal: aborter.signal }),
	);
	await expect.poll(() => existsSync(marker)).toBe(true);
	aborter.abort();
	clock.advance(2_000);
	expect(await pending).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("a command that takes too long is ended, and its output is returned", async () => {
	const clock = new ManualClock();
	const marker = join(cwd, "slow");
	const pending = sandboxOf(clock).run(
		shell(`echo begun; echo x > ${marker}; sleep 300`, { timeoutMs: 5_000 }),
	);
	await expect.poll(() => existsSync(marker)).toBe(true);
	clock.advance(5_000);
	expect(await pending).toEqual({ code: null, signal: "SIGTERM", output: "begun\n", timedOut: true });
});

test("no process starts if the signal has aborted before", async () => {
	const marker = join(cwd, "never");
	const run = sandboxOf().run(shell(`echo x > ${marker}`, { signal: AbortSignal.abort() }));
	await expect(run).rejects.toMatchObject({ code: "cancelled" });
	expect(existsSync(marker)).toBe(false);
});

test("long output keeps its head and tail", async () => {
	const { output } = await sandboxOf().run(shell("seq 1 100000", { maxOutputBytes: 40 }));
	const head = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10";
	expect(output).toBe(`${head}\n[… ${588_895 - 40} bytes left out …]\n\n99998\n99999\n100000\n`);
});

test("endless output stays within bounded memory", async () => {
	const before = process.memoryUsage.rss();
	const outcome = await sandboxOf().run(shell("yes", { timeoutMs: paced(700) }));
	expect(outcome.timedOut).toBe(true);
	expect(Number(/… (\d+) bytes left out/.exec(outcome.output)?.[1])).toBeGreaterThan(8 * 1024 * 1024);
	expect(Buffer.byteLength(outcome.output)).toBeLessThan(65 * 1024);
	expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
});

test("a listener gets all output as it arrives, also the part that the window omits", async () => {
	const received: Uint8Array[] = [];
	const listening = { maxOutputBytes: 16, onOutput: (chunk: Uint8Array) => void received.push(chunk) };
	const { output } = await sandboxOf().run(shell("seq 1 2000; echo wrong >&2", listening));
	const numbers = Array.from({ length: 2_000 }, (_, n) => `${n + 1}\n`).join("");
	expect(Buffer.concat(received).toString()).toBe(`${numbers}wrong\n`);
	expect(output).toContain("bytes left out");
});
