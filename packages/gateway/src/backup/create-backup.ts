import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import {
	copyFile,
	link,
	mkdir,
	mkdtemp,
	open,
	readdir,
	realpath,
	rename,
	rm,
	stat,
	symlink,
	writeFile,
} from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { type Clock, ParleyError } from "@parley/base";
import { createSnapshot, type Snapshot } from "@parley/core";
import { create } from "tar";
import { databaseIn } from "../data-directory/data-directory.ts";
import { errno } from "../data-directory/errno.ts";
import { createBackupTexts } from "../texts/backup.ts";
import {
	contentPrefix,
	databasePath,
	encodeManifest,
	isReserved,
	type Manifest,
	type ManifestFile,
	manifestName,
	workspacesDirectory,
} from "./manifest.ts";
import { findUnfinished } from "./place-restored.ts";
import { syncDirectory } from "./sync-directory.ts";

const stagingPrefix = ".parley-backup-";
/** Age in milliseconds at which a temporary directory is treated as the remainder of a killed backup. */
const abandonedAfterMs = 24 * 60 * 60_000;

export interface BackupOptions {
	readonly dataDirectory: string;
	/** Path of the new `.tar.gz`. */
	readonly file: string;
	readonly version: string;
	readonly clock: Clock;
	/** Whether to replace an existing file. */
	readonly force: boolean;
	readonly onProgress?: (doing: string) => void;
}

export interface BackupSummary {
	readonly file: string;
	readonly bytes: number;
	readonly files: number;
	readonly sessions: number;
	/**
	 * Ids of stored files that the database lists but that do not exist, for example because they were deleted during
	 * the backup.
	 */
	readonly missing: readonly string[];
}

/**
 * Saves the content of a data directory in one file, which only this user can read. A gateway may be running on the
 * directory. Omits workspaces, drafts and logs. The file is created completely or not at all. Rejects with:
 * - `already_exists` for an existing file without `force`.
 * - `not_found` for a data directory without a database.
 * - `invalid_argument` for a file inside the data directory.
 * - `failed_precondition` after an interrupted restore, or if no file can be created in the directory of the backup
 *   file.
 * - `data_loss` if the database contains an invalid id of a stored file.
 */
export async function createBackup(options: BackupOptions): Promise<BackupSummary> {
	const { dataDirectory, force, onProgress } = options;
	const file = resolve(options.file);
	await checkSource(dataDirectory);
	await checkPlace(file, dataDirectory);
	if (existsSync(file) && !force) {
		throw new ParleyError(createBackupTexts.fileExists({ file }), {
			code: "already_exists",
		});
	}
	await removeAbandoned(dirname(file), options.clock.now() - abandonedAfterMs);
	const staging = await makeStaging(file);
	const part = join(staging, "packed");
	try {
		onProgress?.(createBackupTexts.copying);
		const gathered = await gather(dataDirectory, join(staging, contentPrefix));
		const { files, sessions, missing, migrations } = gathered;
		const created_at = new Date(options.clock.now()).toISOString();
		const manifest = { version: options.version, created_at, migrations: [...migrations], files: [...files] };
		onProgress?.(createBackupTexts.packing({ files: files.length }));
		const bytes = await pack(staging, part, manifest);
		await rename(part, file);
		await syncDirectory(dirname(file));
		return { file, bytes, files: files.length, sessions, missing };
	} finally {
		await rm(staging, { recursive: true, force: true });
	}
}

async function checkSource(dataDirectory: string): Promise<void> {
	const unfinished = await findUnfinished(dataDirectory);
	if (unfinished !== undefined) {
		throw new ParleyError(createBackupTexts.interruptedRestore({ dataDirectory }), {
			code: "failed_precondition",
		});
	}
	if (existsSync(databaseIn(dataDirectory))) return;
	throw new ParleyError(createBackupTexts.noSessions({ dataDirectory }), {
		code: "not_found",
	});
}

/** Rejects if the backup file is in the data directory, because the next backup would contain the file. */
async function checkPlace(file: string, dataDirectory: string): Promise<void> {
	const within = await realpath(dataDirectory);
	const place = await realpath(dirname(file)).catch(() => dirname(file));
	if (!`${place}${sep}`.startsWith(`${within}${sep}`)) return;
	throw new ParleyError(createBackupTexts.insideData({ file, dataDirectory }), { code: "invalid_argument" });
}

/**
 * Deletes the temporary directories of killed backups in `directory`, if they belong to this user and have not
 * changed since `before`. They contain copies of the database and of stored files. The gateway may have deleted the
 * originals since.
 */
async function removeAbandoned(directory: string, before: number): Promise<void> {
	const names = await readdir(directory).catch((): string[] => []);
	const found = names.filter(
		(name) => name.startsWith(stagingPrefix) && name.length === stagingPrefix.length + 6,
	);
	for (const path of found.map((name) => join(directory, name))) {
		const status = await stat(path).catch(() => undefined);
		if (!status?.isDirectory() || status.mtimeMs >= before || status.uid !== process.getuid?.()) continue;
		await rm(path, { recursive: true, force: true });
	}
}

async function makeStaging(file: string): Promise<string> {
	// The temporary directory is beside the backup file, because this file system needs free space in any case.
	const directory = dirname(file);
	try {
		return await mkdtemp(join(directory, stagingPrefix));
	} catch (cause) {
		throw new ParleyError(`${directory} ${unwritableReason(cause)}`, { code: "failed_precondition", cause });
	}
}

function unwritableReason(cause: unknown): string {
	const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
	switch (code) {
		case "ENOENT":
			return createBackupTexts.noPlace;
		case "ENOTDIR":
			return createBackupTexts.placeIsFile;
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return createBackupTexts.placeNotWritable;
		case "ENOSPC":
		case "EDQUOT":
			return createBackupTexts.placeFull;
		default:
			return createBackupTexts.placeFails({ code });
	}
}

/**
 * Packs the manifest and its files from `staging` into the archive `part`. Returns the size of the archive in bytes.
 */
async function pack(staging: string, part: string, manifest: Omit<Manifest, "format">): Promise<number> {
	await writeFile(join(staging, manifestName), encodeManifest(manifest), { mode: 0o600 });
	const paths = [manifestName, ...manifest.files.map(({ path }) => contentPrefix + path)];
	await using output = await open(part, "wx", 0o600);
	let bytes = 0;
	const options = {
		cwd: staging,
		gzip: true,
		portable: true,
		follow: true,
		noDirRecurse: true,
		strict: true,
	};
	for await (const chunk of create(options, paths)) {
		await output.writeFile(chunk);
		bytes += chunk.length;
	}
	await output.sync();
	return bytes;
}

const filesDirectory = "files";
/** Maximum depth of directories, because a directory can contain a link to itself. */
const maxDepth = 8;

interface Gathered extends Snapshot {
	readonly files: readonly ManifestFile[];
	readonly missing: readonly string[];
}

/**
 * Writes to `target`:
 * - a consistent copy of the database
 * - the stored files of the database
 * - the files of `listOthers`, for example keys and tokens
 *
 * The gateway need not stop.
 */
async function gather(dataDirectory: string, target: string): Promise<Gathered> {
	await mkdir(target, { mode: 0o700 });
	const snapshot = await createSnapshot(databaseIn(dataDirectory), join(target, databasePath));
	const others = await listOthers(dataDirectory);
	for (const path of others) await copyPrivately(join(dataDirectory, path), join(target, path));
	const missing = await linkFiles(dataDirectory, target, snapshot.fileIds);
	const existing = snapshot.fileIds.filter((id) => !missing.includes(id));
	const paths = [databasePath, ...others, ...existing.map((id) => `${filesDirectory}/${id}`)];
	const files: ManifestFile[] = [];
	for (const path of paths) files.push({ path, ...(await measure(join(target, path))) });
	return { ...snapshot, files, missing };
}

/**
 * Lists the files of `dataDirectory` for a backup, except the database and the stored files. Omits side files and old
 * copies of the database, workspaces, drafts, logs, files of a running gateway, and files of a restore. Follows
 * links.
 */
async function listOthers(dataDirectory: string): Promise<string[]> {
	const names = (await readdir(dataDirectory)).filter((name) => {
		const isOther = name !== filesDirectory && name !== workspacesDirectory;
		return isOther && !isReserved(name) && !name.startsWith(databasePath);
	});
	const found = await Promise.all(names.map((name) => listFiles(dataDirectory, name, maxDepth)));
	return found.flat().sort();
}

async function listFiles(base: string, path: string, depth: number): Promise<string[]> {
	const status = await stat(join(base, path)).catch(ignoreMissing);
	if (status?.isFile()) return isDraftOrLog(path) ? [] : [path];
	if (!status?.isDirectory() || depth === 0) return [];
	const names = await readdir(join(base, path));
	const found = await Promise.all(names.map((name) => listFiles(base, `${path}/${name}`, depth - 1)));
	return found.flat();
}

function isDraftOrLog(path: string): boolean {
	return /\.(?:draft|log)$/.test(basename(path));
}

async function copyPrivately(from: string, to: string): Promise<void> {
	await mkdir(dirname(to), { recursive: true, mode: 0o700 });
	await copyFile(from, to);
}

/**
 * Creates links in `target` to the stored files with the given ids. Returns the ids of missing files. Stored files
 * never change, so a link is a valid copy.
 */
async function linkFiles(dataDirectory: string, target: string, ids: readonly string[]): Promise<string[]> {
	const missing: string[] = [];
	await mkdir(join(target, filesDirectory), { mode: 0o700 });
	for (const id of ids) {
		if (/[/\\]/.test(id))
			throw new ParleyError(createBackupTexts.invalidFileId({ id: JSON.stringify(id) }), {
				code: "data_loss",
			});
		const [from, to] = [join(dataDirectory, filesDirectory, id), join(target, filesDirectory, id)];
		try {
			await stat(from);
			// If the target is on another file system, or on one without hard links, a symbolic link refers to the file.
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
