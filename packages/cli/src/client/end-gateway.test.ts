import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endGateway } from "./end-gateway.ts";
import { isAlive } from "./running-gateway.ts";

const isRoot = process.getuid?.() === 0;
// A user without root privileges owns all files and processes of this test.
const owner = isRoot ? 65534 : (process.getuid?.() ?? 0);

function makeData(): string {
	const data = realpathSync(mkdtempSync(join(tmpdir(), "parley-end-")));
	onTestFinished(() => rmSync(data, { recursive: true }));
	if (isRoot) chownSync(data, owner, owner);
	return data;
}

/** Starts a process of the current user that continues until it is killed. Resolves with its id. */
async function start(script: string): Promise<number> {
	const args = ["--input-type=module", "-e", `${script}; console.log("runs"); process.stdin.resume();`];
	const child: ChildProcess = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
	onTestFinished(() => void child.kill("SIGKILL"));
	if (child.stdout) await once(child.stdout, "data");
	return child.pid ?? 0;
}

function lock(data: string): string {
	const module = new URL("../../../gateway/src/data-directory/data-lock.ts", import.meta.url);
	return `globalThis.lock = (await import("${module}")).lockDataDirectory(${JSON.stringify(data)})`;
}

test("root can end the gateway of a user's data, if the process belongs to this user or to root", async () => {
	const data = makeData();
	const gateways = [await start(lock(data))];
	const shell = spawn("/bin/sh", ["-c", "echo runs; read line"], { uid: owner });
	await once(shell.stdout, "data");
	gateways.push(shell.pid ?? 0);
	for (const pid of gateways) expect(await endGateway(pid, data)).toBe(true);
});

test("a link in a user's data to the lock of another process does not make root end that process", async () => {
	const data = makeData();
	const other = realpathSync(mkdtempSync(join(tmpdir(), "parley-end-")));
	onTestFinished(() => rmSync(other, { recursive: true }));
	const pid = await start(lock(other));
	const refuses = async (): Promise<void> => {
		// Only root checks the process. Another user would end the process.
		if (isRoot)
			await expect(endGateway(pid, data)).rejects.toThrow(
				`process ${pid} was not stopped, because it may not be the gateway`,
			);
	};
	await refuses();
	// The link leads to the lock of root's own data.
	symlinkSync(join(other, "run"), join(data, "run"));
	await refuses();
	rmSync(join(data, "run"));
	mkdirSync(join(data, "run"));
	symlinkSync(join(other, "run/lock.sqlite"), join(data, "run/lock.sqlite"));
	await refuses();
	expect(isAlive(pid)).toBe(true);
	expect(await endGateway(pid, other)).toBe(true);
});
