import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtempDisposable, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@parley/base";
import { migrations } from "@parley/core";
import { expect, test } from "vitest";
import { lockDataDirectory } from "./data-lock.ts";

function temporaryDirectory() {
	return mkdtempDisposable(join(tmpdir(), "parley-lock-"));
}

function lockElsewhere(directory: string): Promise<ChildProcess> {
	return runElsewhere(`
		const { lockDataDirectory } = await import(${JSON.stringify(new URL("./data-lock.ts", import.meta.url))});
		globalThis.lock = lockDataDirectory(${JSON.stringify(directory)});
	`);
}

function openElsewhere(directory: string): Promise<ChildProcess> {
	return runElsewhere(`
		const { openSqliteStore } = await import(${JSON.stringify(import.meta.resolve("@parley/base"))});
		const { migrations } = await import(${JSON.stringify(import.meta.resolve("@parley/core"))});
		const file = ${JSON.stringify(join(directory, "parley.sqlite"))};
		await (await openSqliteStore({ file, migrations })).close();
		// Nothing is migrated, written or read the second time.
		globalThis.store = await openSqliteStore({ file, migrations });
	`);
}

async function runElsewhere(work: string): Promise<ChildProcess> {
	const script = `${work}; process.stdout.write("done"); process.stdin.resume();`;
	const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	await once(child.stdout, "data");
	return child;
}

test("a second gateway is refused with the process id of the first one, until that one ends", async () => {
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

test("each directory has its own lock", async () => {
	await using one = await temporaryDirectory();
	await using other = await temporaryDirectory();
	const locks = [lockDataDirectory(one.path), lockDataDirectory(other.path)];
	expect(locks).toHaveLength(2);
	for (const lock of locks) lock.release();
});

test("a killed process releases the lock", async () => {
	await using data = await temporaryDirectory();
	const child = await lockElsewhere(data.path);
	expect(() => lockDataDirectory(data.path)).toThrow(
		expect.objectContaining({ message: expect.stringContaining(`(process ${child.pid})`) }),
	);
	child.kill("SIGKILL");
	await once(child, "exit");
	lockDataDirectory(data.path).release();
});

test("after the lock was removed, a process with an open database keeps others out, and a killed one does not", async () => {
	await using data = await temporaryDirectory();
	const child = await openElsewhere(data.path);
	for (let attempt = 0; attempt < 2; attempt++) {
		expect(() => lockDataDirectory(data.path)).toThrow(
			expect.objectContaining({
				code: "failed_precondition",
				message: expect.stringMatching(/parley\.sqlite is in use by another process.*stop that process/),
			}),
		);
	}
	child.kill("SIGKILL");
	await once(child, "exit");
	lockDataDirectory(data.path).release();
});

test("a gateway whose lock was removed continues alone", async () => {
	await using data = await temporaryDirectory();
	const first = lockDataDirectory(data.path);
	const store = await openSqliteStore({ file: join(data.path, "parley.sqlite"), migrations });
	await rm(join(data.path, "run"), { recursive: true });
	expect(() => lockDataDirectory(data.path)).toThrow("is in use by another process");
	await store.commit(async () => undefined);
	await store.close();
	first.release();
	lockDataDirectory(data.path).release();
	expect(await readdir(data.path)).toEqual(["parley.sqlite", "run"]);
});

test("a locked directory allows other readers of the conversations", async () => {
	await using data = await temporaryDirectory();
	lockDataDirectory(data.path).release();
	const store = await openSqliteStore({ file: join(data.path, "parley.sqlite"), migrations });
	lockDataDirectory(data.path).release();
	await store.close();
});

test("damaged conversations are not checked by the lock", async () => {
	await using data = await temporaryDirectory();
	await writeFile(join(data.path, "parley.sqlite"), "this is a letter, not a database. ".repeat(200));
	lockDataDirectory(data.path).release();
	await using other = await temporaryDirectory();
	await mkdir(join(other.path, "parley.sqlite"));
	lockDataDirectory(other.path).release();
});

test("a read-only directory is refused with advice", async () => {
	await using data = await temporaryDirectory();
	// A directory with the name of the file simulates a read-only file system, because root can write in spite of
	// permissions.
	await mkdir(join(data.path, "run", "lock.pid"), { recursive: true });
	await using other = await temporaryDirectory();
	await writeFile(join(other.path, "run"), "");
	for (const path of [data.path, other.path]) {
		expect(() => lockDataDirectory(path)).toThrow(
			expect.objectContaining({
				code: "failed_precondition",
				message: expect.stringContaining(`${path}/run cannot be written (E`),
			}),
		);
	}
});
