import { mkdtempDisposable, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkRoots } from "./check-roots.ts";

test("refuses / as the current directory if no root was chosen", async () => {
	await expect(checkRoots([], "/")).rejects.toThrow(
		"choose a directory with `--root DIR`, or confirm with `--root /`",
	);
});

test("warns about / as a chosen root, also through a link", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-roots-"));
	const link = join(directory.path, "link");
	await symlink("/", link);
	expect(await checkRoots(["/"], "/")).toContain("every file of this machine");
	expect(await checkRoots([directory.path, link], "/")).toContain("every file of this machine");
});

test("accepts other directories, and those that do not exist, which the gateway reports", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-roots-"));
	expect(await checkRoots([directory.path], "/")).toBeUndefined();
	expect(await checkRoots([join(directory.path, "missing")], "/")).toBeUndefined();
	expect(await checkRoots([], directory.path)).toBeUndefined();
});
