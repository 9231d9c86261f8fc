import { chmod, chown, lstat, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeCopies } from "./upgraded-data.ts";

test("a directory for copies belongs to the owner of the data in a directory of any owner", async () => {
	const above = await mkdtemp(join(tmpdir(), "parley-copies-"));
	onTestFinished(() => rm(above, { recursive: true }));
	const data = join(above, "data");
	await mkdir(data);
	const isRoot = process.getuid?.() === 0;
	// Without root privileges, this user owns all directories.
	const owner = isRoot ? 65534 : (process.getuid?.() ?? 0);
	if (isRoot) await chown(data, owner, owner);
	const copies = join(above, "data-copies");
	for (const aboveOwner of new Set([process.getuid?.() ?? 0, owner])) {
		if (isRoot) await chown(above, aboveOwner, aboveOwner);
		await rm(copies, { recursive: true, force: true });
		await chmod(above, 0o755);
		await makeCopies({ data, services: [] }, undefined);
		const { uid, mode } = await lstat(copies);
		expect({ uid, mode: mode & 0o777 }).toEqual({ uid: owner, mode: 0o700 });
	}
});
