import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDirectory } from "../../testing/tool-context.ts";
import { moveAside } from "./root-guard.ts";

const testOnLinux = test.skipIf(process.platform !== "linux");

let directory: Awaited<ReturnType<typeof createDirectory>>;

beforeEach(async () => {
	directory = await createDirectory();
});
afterEach(() => directory[Symbol.asyncDispose]());

testOnLinux("a moved file stays in the same directory, also in a closed one", async () => {
	const shut = join(directory.path, "shut");
	await mkdir(shut);
	await writeFile(join(shut, "hooks"), "");
	await chmod(shut, 0o000);
	await moveAside(join(shut, "hooks"), "one");
	await chmod(shut, 0o700);
	expect(await readdir(shut)).toEqual(["hooks.held-back-one"]);
	await expect(moveAside(join(shut, "hooks"), "two")).resolves.toBeUndefined();
});

testOnLinux("nothing is moved if a link replaced its directory", async () => {
	await mkdir(join(directory.path, "elsewhere"));
	await writeFile(join(directory.path, "elsewhere/config"), "");
	await symlink("elsewhere", join(directory.path, "repository"));
	await expect(moveAside(join(directory.path, "repository/config"), "one")).rejects.toMatchObject({
		code: "failed_precondition",
	});
	expect(await readdir(join(directory.path, "elsewhere"))).toEqual(["config"]);
});

testOnLinux("an existing name is reported, not overwritten", async () => {
	const existing = join(directory.path, "hooks.held-back-one");
	await mkdir(join(directory.path, "hooks"));
	await mkdir(join(existing, "x"), { recursive: true });
	await expect(moveAside(join(directory.path, "hooks"), "one")).rejects.toThrow(/ENOTEMPTY/);
});
