import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockDataDirectory } from "./data-lock.ts";

function temporaryDirectory() {
	return mkdtempDisposable(join(tmpdir(), "parley-lock-"));
}

/** Another process that takes the lock and keeps it. */
async function lockElsewhere(directory: string): Promise<ChildProcess> {
	const script = `
		const { lockDataDirectory } = await import(${JSON.stringify(new URL("./data-lock.ts", import.meta.url))});
		globalThis.lock = lockDataDirectory(${JSON.stringify(directory)});
		process.stdout.write("locked");
		process.stdin.resume();
	`;
	const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	await once(child.stdout, "data");
	return child;
}

test("a second gateway is refused with the first one's process id, until that one lets go", async () => {
	await using data = await temporaryDirectory();
	const first = lockDataDirectory(data.path);
	for (let attempt = 0; attempt < 2; attempt++) {
		expect(() => lockDataDirectory(data.path)).toThrow(
			expect.objectContaining({
				code: "failed_precondition",
				message: expect.stringContaining(
					`${data.path} is in use by another gateway (process ${process.pid})`,
				),
			}),
		);
	}
	first.release();
	first.release();
	const second = lockDataDirectory(data.path);
	first.release();
	expect(() => lockDataDirectory(data.path)).toThrow(
		expect.objectContaining({ code: "failed_precondition" }),
	);
	second.release();
});

test("directories are locked apart", async () => {
	await using one = await temporaryDirectory();
	await using other = await temporaryDirectory();
	const locks = [lockDataDirectory(one.path), lockDataDirectory(other.path)];
	expect(locks).toHaveLength(2);
	for (const lock of locks) lock.release();
});

test("a killed process holds nothing any more", async () => {
	await using data = await temporaryDirectory();
	const child = await lockElsewhere(data.path);
	expect(() => lockDataDirectory(data.path)).toThrow(
		expect.objectContaining({ message: expect.stringContaining(`(process ${child.pid})`) }),
	);
	child.kill("SIGKILL");
	await once(child, "exit");
	lockDataDirectory(data.path).release();
});
