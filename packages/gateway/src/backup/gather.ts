import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, readdir, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ParleyError } from "@parley/base";
import { createSnapshot, type Snapshot } from "@parley/core";
import { databaseIn } from "../data-directory/data-directory.ts";
import { errno } from "../data-directory/errno.ts";
import { databasePath, isReserved, type ManifestFile } from "./manifest.ts";

/** Directory of stored files, by id. */
const filesDirectory = "files";
/** Deeper than any expected content, for directories that contain links to themselves. */
const maxDepth = 8;

export interface Gathered extends Snapshot {
	readonly files: readonly ManifestFile[];
	/** Ids of stored files that were deleted since. */
	readonly missing: readonly string[];
}

/**
 * Writes the content of a backup to `target`: a consistent copy of the database, its stored files, and everything else
 * (keys, tokens, profiles, settings). The data directory is not changed, and the gateway need not stop.
 */
export async function gather(dataDirectory: string, target: string): Promise<Gathered> {
	await mkdir(target, { mode: 0o700 });
	const snapshot = await createSnapshot(databaseIn(dataDirectory), join(target, databasePath));
	const others = await listOthers(dataDirectory);
	for (const path of others) await copyPrivately(join(dataDirectory, path), join(target, path));
	const missing = await linkFiles(dataDirectory, target, snapshot.fileIds);
	const kept = snapshot.fileIds.filter((id) => !missing.includes(id));
	const paths = [databasePath, ...others, ...kept.map((id) => `${filesDirectory}/${id}`)];
	const files: ManifestFile[] = [];
	for (const path of paths) files.push({ path, ...(await measure(join(target, path))) });
	return { ...snapshot, files, missing };
}

/** All files except the database with its side files and old copies, the stored files, and files of a single process. */
async function listOthers(dataDirectory: string): Promise<string[]> {
	const names = (await readdir(dataDirectory)).filter((name) => {
		return !isReserved(name) && !name.startsWith(databasePath) && name !== filesDirectory;
	});
	const found = await Promise.all(names.map((name) => listFiles(dataDirectory, name, maxDepth)));
	return found.flat().sort();
}

async function listFiles(base: string, path: string, depth: number): Promise<string[]> {
	const status = await stat(join(base, path)).catch(ignoreMissing);
	if (status?.isFile()) return isUnfinished(path) ? [] : [path];
	if (!status?.isDirectory() || depth === 0) return [];
	const names = await readdir(join(base, path));
	const found = await Promise.all(names.map((name) => listFiles(base, `${path}/${name}`, depth - 1)));
	return found.flat();
}

/** Unfinished files of `private-file.ts`, and logs. */
function isUnfinished(path: string): boolean {
	return /\.(?:draft|log)$/.test(basename(path));
}

async function copyPrivately(from: string, to: string): Promise<void> {
	await mkdir(dirname(to), { recursive: true, mode: 0o700 });
	await copyFile(from, to);
}

/** A stored file never changes, so a hard link is a valid copy. It stays when the file is deleted. */
async function linkFiles(dataDirectory: string, target: string, ids: readonly string[]): Promise<string[]> {
	const missing: string[] = [];
	await mkdir(join(target, filesDirectory), { mode: 0o700 });
	for (const id of ids) {
		if (/[/\\]/.test(id))
			throw new ParleyError(`the database has the invalid file id ${JSON.stringify(id)}: restore a backup`, {
				code: "data_loss",
			});
		const [from, to] = [join(dataDirectory, filesDirectory, id), join(target, filesDirectory, id)];
		try {
			await stat(from);
			// Another file system, or one without links: then only the place is noted.
			await link(from, to).catch(() => symlink(from, to));
		} catch (error) {
			if (errno(error) !== "ENOENT") throw error;
			missing.push(id);
		}
	}
	return missing;
}

async function measure(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
	const hash = createHash("sha256");
	let bytes = 0;
	for await (const chunk of createReadStream(path)) {
		hash.update(chunk);
		bytes += chunk.length;
	}
	return { bytes, sha256: hash.digest("hex") };
}

function ignoreMissing(error: unknown): undefined {
	if (errno(error) !== "ENOENT") throw error;
}
