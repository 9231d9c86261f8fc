import { mkdir, mkdtempDisposable, open, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Clock, checkSqliteFile, type Failpoints, noFailpoints, ParleyError } from "@parley/base";
import { migrations } from "@parley/core";
import { makeDataDirectory } from "../data-directory/data-directory.ts";
import { lockDataDirectory } from "../data-directory/data-lock.ts";
import { errno } from "../data-directory/errno.ts";
import { readBackupTexts } from "../texts/backup.ts";
import { databasePath, type Manifest } from "./manifest.ts";
import { contentOf, finishRestore, partOf, placeRestored } from "./place-restored.ts";
import { type BackupReader, readBackup, type UnpackLimits } from "./read-backup.ts";
import { leaveRestoreNote } from "./restore-note.ts";
import { syncDirectory } from "./sync-directory.ts";

interface ReadOptions {
	readonly onProgress?: ((doing: string) => void) | undefined;
	readonly limits?: Partial<UnpackLimits> | undefined;
}

export interface RestoreOptions extends ReadOptions {
	readonly file: string;
	readonly dataDirectory: string;
	readonly clock: Clock;
	/** Whether existing content is moved to another directory. If false, existing content causes an error. */
	readonly force: boolean;
	/** Points at which a test stops the process. */
	readonly failpoints?: Failpoints;
}

export interface BackupFacts {
	/** Version of the program that created the backup. */
	readonly version: string;
	readonly createdAt: string;
	readonly files: number;
	readonly bytes: number;
}

export interface Restored extends BackupFacts {
	/** Directory of the previous content. Undefined if there was no content. */
	readonly aside: string | undefined;
}

/**
 * Replaces the content of a data directory with a backup. After an interruption, the next start of a gateway finds
 * either the old or the new content. Rejects without a restore if a gateway uses the directory, or if the directory
 * is not empty (without `force`). Also rejects without a restore if the backup is damaged, or if its database has
 * migrations of a newer version.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
	const { dataDirectory, clock, force, onProgress, limits, failpoints = noFailpoints } = options;
	await makeDataDirectory(dataDirectory);
	const lock = lockDataDirectory(dataDirectory);
	try {
		await finishRestore(dataDirectory);
		if (!force) await refuseOccupied(dataDirectory);
		const name = new Date(clock.now()).toISOString().replaceAll(/[-:.]/g, "");
		const part = partOf(dataDirectory, name);
		const manifest = await extract(resolve(options.file), part, { onProgress, failpoints, limits });
		onProgress?.(readBackupTexts.checking);
		await checkSqliteFile(join(part, databasePath), migrations);
		const { version, created_at: createdAt } = manifest;
		await leaveRestoreNote(part, { clock, createdAt, version });
		const aside = await placeRestored(dataDirectory, name, failpoints);
		return { ...factsOf(manifest), aside };
	} finally {
		// After a failure, `finishRestore` removes the incomplete content, or completes the restore if it was committed.
		await finishRestore(dataDirectory).finally(() => lock.release());
	}
}

/** Checks whether this program can restore a backup: resolves with facts about the backup, or rejects with the error. */
export async function verifyBackup(
	file: string,
	{ onProgress, limits }: ReadOptions = {},
): Promise<BackupFacts> {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-verify-"));
	const database = join(directory.path, databasePath);
	const reader: BackupReader = {
		begin: async (read) => checkManifest(read),
		async receive({ path }, content) {
			if (path === databasePath) await write(database, content);
			else for await (const _ of content);
		},
	};
	const onBytes = byteReport("checking", onProgress);
	const manifest = await readBackup(resolve(file), reader, { limits, onBytes });
	await checkSqliteFile(database, migrations);
	return factsOf(manifest);
}

async function refuseOccupied(dataDirectory: string): Promise<void> {
	const [found] = await contentOf(dataDirectory);
	if (found === undefined) return;
	throw new ParleyError(readBackupTexts.notEmpty({ directory: dataDirectory, found }), {
		code: "failed_precondition",
	});
}

async function extract(
	file: string,
	target: string,
	{ onProgress, failpoints, limits }: ReadOptions & { readonly failpoints: Failpoints },
): Promise<Manifest> {
	const directories = new Set([target]);
	const reader: BackupReader = {
		async begin(manifest) {
			checkManifest(manifest);
			await mkdir(target, { mode: 0o700 });
			await checkRoom(target, manifest);
			onProgress?.(readBackupTexts.unpacking({ files: manifest.files.length }));
		},
		async receive({ path }, content) {
			const to = join(target, path);
			for (let parent = dirname(to); parent !== target; parent = dirname(parent)) directories.add(parent);
			await unpack(to, content).catch((reason: unknown) => {
				throw ["EEXIST", "ENOTDIR"].includes(errno(reason) ?? "") ? sameName(path) : reason;
			});
			await failpoints.reach("restore.unpacked");
		},
	};
	const onBytes = byteReport("unpacking", onProgress);
	const manifest = await readBackup(file, reader, { limits, onBytes });
	for (const directory of directories) await syncDirectory(directory);
	return manifest;
}

function byteReport(
	doing: string,
	onProgress: RestoreOptions["onProgress"],
): (bytes: number, all: number | undefined) => void {
	const inMiB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
	return (bytes, all) => {
		const of = all === undefined ? "" : ` of ${inMiB(Math.max(all, bytes))}`;
		onProgress?.(`${doing}: ${inMiB(bytes)}${of}`);
	};
}

function checkManifest({ version, migrations: names, files }: Manifest): void {
	const unknown = names.find((name) => migrations.every((migration) => migration.name !== name));
	if (unknown !== undefined) {
		throw new ParleyError(readBackupTexts.unknownDatabase({ version, migration: unknown }), {
			code: "failed_precondition",
		});
	}
	if (files.some(({ path }) => path === databasePath)) return;
	throw new ParleyError(readBackupTexts.noDatabase, { code: "data_loss" });
}

async function checkRoom(target: string, manifest: Manifest): Promise<void> {
	const { bavail, bsize } = await statfs(target);
	const { bytes } = factsOf(manifest);
	if (bytes <= bavail * bsize) return;
	const missing = Math.ceil((bytes - bavail * bsize) / 2 ** 20);
	throw new ParleyError(readBackupTexts.diskFull({ directory: dirname(target), missing }), {
		code: "resource_exhausted",
	});
}

async function unpack(path: string, content: AsyncIterable<Buffer>): Promise<void> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	await write(path, content);
}

async function write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
	await using file = await open(path, "wx", 0o600);
	for await (const chunk of content) await file.writeFile(chunk);
	await file.sync();
}

/** Returns the refusal of a file whose path already exists on the file system of the restore. */
function sameName(path: string): ParleyError {
	const message = readBackupTexts.sameName({ file: JSON.stringify(path) });
	return new ParleyError(message, { code: "failed_precondition" });
}

function factsOf({ version, created_at: createdAt, files }: Manifest): BackupFacts {
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	return { version, createdAt, files: files.length, bytes };
}
