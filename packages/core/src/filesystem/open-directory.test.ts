import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createWorkplace } from "../testing/tool-context.ts";
import { replaceFile } from "../tools/files/write-target.ts";
import { OpenDirectory, openRegular } from "./regular-file.ts";

let place: Awaited<ReturnType<typeof createWorkplace>>;

beforeEach(async () => {
	place = await createWorkplace();
	await mkdir(join(place.cwd, "a/b"), { recursive: true });
	await writeFile(join(place.cwd, "a/b/file.txt"), "inside");
	await writeFile(join(place.path, "outside/file.txt"), "outside");
	await symlink("../outside", join(place.cwd, "link"));
});
afterEach(() => place[Symbol.asyncDispose]());

test("a directory handle refers to the same directory after its path changes", async () => {
	await using directory = await OpenDirectory.open(join(place.cwd, "a/b"));
	await rename(join(place.cwd, "a"), join(place.cwd, "moved"));
	await symlink(join(place.path, "outside"), join(place.cwd, "a"));
	expect(await readFile(directory.at("file.txt"), "utf8")).toBe("inside");
	await writeFile(directory.at("new.txt"), "x");
	expect(await readdir(join(place.cwd, "moved/b"))).toEqual(["file.txt", "new.txt"]);
});

test("a link that replaced a directory is not followed", async () => {
	for (const path of ["link", "link/deep"]) {
		await expect(OpenDirectory.open(join(place.cwd, path), true)).rejects.toMatchObject({
			code: "aborted",
			message: 'the directory "link" became a link to another place: use another path',
		});
	}
	expect(await readdir(join(place.path, "outside"))).toEqual(["file.txt"]);
});

test("missing directories are created only with `make`, and a file is not a directory", async () => {
	const missing = join(place.cwd, "a/new/deep");
	await expect(OpenDirectory.open(missing)).rejects.toMatchObject({ code: "ENOENT" });
	await using directory = await OpenDirectory.open(missing, true);
	await writeFile(directory.at("x"), "");
	expect(await readdir(missing)).toEqual(["x"]);
	await expect(OpenDirectory.open(join(place.cwd, "a/b/file.txt"))).rejects.toMatchObject({
		code: "ENOTDIR",
	});
});

test.runIf(process.platform === "linux")("no descriptor is left open", async () => {
	const count = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
	const before = await count();
	for (const path of ["a/b", "link/deep", "missing/x", "a/b/file.txt"]) {
		const opened = await OpenDirectory.open(join(place.cwd, path)).catch(() => undefined);
		await opened?.[Symbol.asyncDispose]();
	}
	expect(await count()).toBe(before);
});

test("a file is not read through a link that replaced its directory", async () => {
	const reading = openRegular(join(place.cwd, "link/file.txt"), "link/file.txt");
	await expect(reading).rejects.toMatchObject({ code: "aborted" });
	await symlink("../../../outside/file.txt", join(place.cwd, "a/b/swapped.txt"));
	const swapped = openRegular(join(place.cwd, "a/b/swapped.txt"), "swapped.txt");
	await expect(swapped).rejects.toThrow('"swapped.txt" is not a regular file');
});

test("a file is not written through a link that replaced its directory", async () => {
	for (const path of ["link/file.txt", "link/new/file.txt"]) {
		const written = { path: join(place.cwd, path), content: "x", mode: undefined, key: "k" };
		await expect(replaceFile(written, true)).rejects.toMatchObject({ code: "aborted" });
	}
	expect(await readdir(join(place.path, "outside"))).toEqual(["file.txt"]);
	expect(await readFile(join(place.path, "outside/file.txt"), "utf8")).toBe("outside");
});

test("a link that replaced a file is replaced, not followed", async () => {
	const path = join(place.cwd, "a/b/swapped.txt");
	await symlink("../../../outside/file.txt", path);
	await replaceFile({ path, content: "x", mode: undefined, key: "k" }, false);
	expect(await readFile(path, "utf8")).toBe("x");
	expect(await readFile(join(place.path, "outside/file.txt"), "utf8")).toBe("outside");
});
