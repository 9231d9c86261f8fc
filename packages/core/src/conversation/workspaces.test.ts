import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";
import { createDirectory } from "../testing/tool-context.ts";
import { roomIn, Workspaces } from "./workspaces.ts";

const isRoot = process.getuid?.() === 0;

let directory: Awaited<ReturnType<typeof createDirectory>>;
beforeEach(async () => {
	directory = await createDirectory();
});
afterEach(async () => {
	// Node cannot remove paths that are too long, so shell commands remove the directory.
	spawnSync("chmod", ["-R", "u+rwx", directory.path]);
	spawnSync("rm", ["-rf", directory.path]);
});

function nestTooDeep(path: string): void {
	const program = '$n = "d" x 200; for (1..25) { mkdir $n and chdir $n or exit 1 }';
	expect(spawnSync("perl", ["-e", program], { cwd: path }).status).toBe(0);
}

test("a workspace is full at its quota, in any directory", async () => {
	await mkdir(join(directory.path, "a"));
	await writeFile(join(directory.path, "a/file"), "x".repeat(10_000));
	expect(await roomIn(directory.path, 20_000)).toBe(20_000 - 14_096);
	expect(await roomIn(directory.path, 14_096)).toBe(0);
	expect(await roomIn(directory.path, 14_000)).toBe(0);
	expect(await roomIn(join(directory.path, "gone"), 1)).toBe(1);
});

test(
	"very many files fill a workspace, even if they are small",
	async () => {
		const many = "mkdir a b; for d in a b; do (cd $d && seq 50001 | xargs touch); done";
		expect(spawnSync("sh", ["-c", many], { cwd: directory.path }).status).toBe(0);
		expect(await roomIn(join(directory.path, "a"), 2 ** 40)).toBeGreaterThan(0);
		expect(await roomIn(directory.path, 2 ** 40)).toBe(0);
	},
	paced(30_000),
);

test("a directory that is too deep to read counts as full", async () => {
	nestTooDeep(directory.path);
	expect(await roomIn(directory.path, 2 ** 40)).toBe(0);
});

test.skipIf(isRoot).each([0o000, 0o400])("a directory with mode %i counts as full", async (mode) => {
	await mkdir(join(directory.path, "shut"));
	await writeFile(join(directory.path, "shut/file"), "");
	await chmod(join(directory.path, "shut"), mode);
	expect(await roomIn(directory.path, 2 ** 40)).toBe(0);
});

test("a workspace that cannot be removed does not block others, and is reported once", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const workspaces = new Workspaces(directory.path);
	for (const id of ["a", "m", "z"]) {
		const path = await workspaces.create(id);
		if (id === "m") nestTooDeep(path);
		if (id === "z") await chmod(path, 0o000);
		await utimes(path, 0, 0);
	}
	const later = 2 * 60 * 60 * 1000;
	await expect(workspaces.sweep(t.store, later)).rejects.toThrow(
		/^1 workspace of deleted sessions in \/.*\/workspaces could not be removed: remove the directories yourself$/,
	);
	await workspaces.sweep(t.store, later);
	expect(await readdir(join(directory.path, "workspaces"))).toEqual(["m"]);
});

test("directories without permissions are removed", async () => {
	const workspaces = new Workspaces(directory.path);
	const path = await workspaces.create("one");
	await mkdir(join(path, "a/b/c"), { recursive: true });
	for (const name of ["a/b", "a"]) await chmod(join(path, name), 0o000);
	await workspaces.remove("one");
	expect(await readdir(join(directory.path, "workspaces"))).toEqual([]);
});
