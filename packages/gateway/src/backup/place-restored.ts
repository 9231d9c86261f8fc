import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { Failpoints } from "@parley/base";
import { noFailpoints } from "@parley/base";
import { errno } from "../data-directory/errno.ts";
import { isReserved, workspacesDirectory } from "./manifest.ts";
import { syncDirectory } from "./sync-directory.ts";

/**
 * Prefixes of the names of a restore's directories. T, the time of the restore, follows each prefix. A restore works
 * inside the data directory, because the data directory may be a mount point, which cannot be replaced. The restored
 * content is written to `restore.part-T`. Renaming this directory to `restore.ready-T` commits the restore. Then the
 * old content moves to `before-restore-T`, and `restore.ready-T` becomes `restore.placing-T`. The content of this
 * directory moves up into the data directory. The next process that locks the data directory continues a committed
 * restore.
 */
const stages = { part: "restore.part-", ready: "restore.ready-", placing: "restore.placing-" } as const;
const aside = "before-restore-";

/** Returns the path of the directory to which the restore with this name writes. */
export function partOf(dataDirectory: string, name: string): string {
	return join(dataDirectory, stages.part + name);
}

/**
 * Replaces the content of a data directory with the content of a restore that was written completely. Returns the
 * directory of the old content, if any.
 */
export async function placeRestored(
	dataDirectory: string,
	name: string,
	failpoints: Failpoints,
): Promise<string | undefined> {
	await failpoints.reach("restore.written");
	await rename(partOf(dataDirectory, name), join(dataDirectory, stages.ready + name));
	await syncDirectory(dataDirectory);
	await failpoints.reach("restore.ready");
	await finishRestore(dataDirectory, failpoints);
	return (await namesIn(dataDirectory)).includes(aside + name)
		? join(dataDirectory, aside + name)
		: undefined;
}

/**
 * Completes an interrupted restore if it was committed. Deletes its content if it was not committed. The caller must
 * have the lock of the data directory.
 */
export async function finishRestore(
	dataDirectory: string,
	failpoints: Failpoints = noFailpoints,
): Promise<void> {
	for (const name of await namesIn(dataDirectory)) {
		if (name.startsWith(stages.part)) await rm(join(dataDirectory, name), { recursive: true });
	}
	const ready = await find(dataDirectory, stages.ready);
	if (ready !== undefined) await setAside(dataDirectory, ready, failpoints);
	const placing = await find(dataDirectory, stages.placing);
	if (placing !== undefined) await moveUp(dataDirectory, placing, failpoints);
}

/** Returns the name of a restore that was committed and is not complete, or undefined. */
export async function findUnfinished(dataDirectory: string): Promise<string | undefined> {
	return (await find(dataDirectory, stages.ready)) ?? (await find(dataDirectory, stages.placing));
}

/** Lists the names in a data directory, without the reserved names of a running gateway or a restore. */
export async function contentOf(dataDirectory: string): Promise<string[]> {
	return (await namesIn(dataDirectory)).filter((name) => !isReserved(name));
}

async function setAside(dataDirectory: string, name: string, failpoints: Failpoints): Promise<void> {
	const target = join(dataDirectory, aside + name);
	await mkdir(target, { recursive: true, mode: 0o700 });
	const restored = await namesIn(join(dataDirectory, stages.ready + name));
	for (const each of await contentOf(dataDirectory)) {
		if (each === workspacesDirectory && !restored.includes(each)) continue;
		await rename(join(dataDirectory, each), join(target, each));
		await failpoints.reach("restore.aside");
	}
	await syncDirectory(target);
	if ((await namesIn(target)).length === 0) await rmdir(target);
	await rename(join(dataDirectory, stages.ready + name), join(dataDirectory, stages.placing + name));
	await syncDirectory(dataDirectory);
	await failpoints.reach("restore.placing");
}

async function moveUp(dataDirectory: string, name: string, failpoints: Failpoints): Promise<void> {
	const source = join(dataDirectory, stages.placing + name);
	for (const each of await namesIn(source)) {
		await rename(join(source, each), join(dataDirectory, each));
		await failpoints.reach("restore.placed");
	}
	await syncDirectory(dataDirectory);
	await rmdir(source);
}

async function find(dataDirectory: string, stage: string): Promise<string | undefined> {
	const found = (await namesIn(dataDirectory)).find((name) => name.startsWith(stage));
	return found?.slice(stage.length);
}

async function namesIn(directory: string): Promise<string[]> {
	try {
		return (await readdir(directory)).sort();
	} catch (error) {
		if (errno(error) === "ENOENT") return [];
		throw error;
	}
}
