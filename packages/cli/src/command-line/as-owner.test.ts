import { chown, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asOwner } from "./as-owner.ts";

test("files that are made for another user belong to that user, and files of root cannot be read", async () => {
	const directory = await mkdtemp(join(tmpdir(), "parley-owner-"));
	onTestFinished(() => rm(directory, { recursive: true }));
	const [data, secret] = [join(directory, "data"), join(directory, "secret")];
	await writeFile(secret, "of root", { mode: 0o600 });
	await mkdir(data);
	const isRoot = process.getuid?.() === 0;
	// Without root privileges, this user owns both files.
	const owner = isRoot ? 65534 : (process.getuid?.() ?? 0);
	if (isRoot) await chown(data, owner, owner);
	if (isRoot) await chown(directory, owner, owner);
	const read = await asOwner(data, async () => {
		await writeFile(join(data, "made"), "");
		return await readFile(secret, "utf8").catch((error: NodeJS.ErrnoException) => error.code);
	});
	expect(read).toBe(isRoot ? "EACCES" : "of root");
	expect((await lstat(join(data, "made"))).uid).toBe(owner);
	expect(await readFile(secret, "utf8")).toBe("of root");
	await expect(asOwner(data, () => Promise.reject(new Error("ends")))).rejects.toThrow("ends");
	expect(process.geteuid?.()).toBe(process.getuid?.());
});
