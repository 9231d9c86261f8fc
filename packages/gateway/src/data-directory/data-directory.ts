import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Logger, ParleyError } from "@parley/base";
import { dataDirectoryTexts } from "../texts/data-directory.ts";
import { errno } from "./errno.ts";
import { checkPermissions } from "./private-file.ts";
import { secretKeyIn } from "./secret-key.ts";

export function databaseIn(dataDirectory: string): string {
	return join(dataDirectory, "parley.sqlite");
}

/** Returns the path of the lock file. A running gateway keeps this file open and locked. */
export function lockIn(dataDirectory: string): string {
	return join(dataDirectory, "run", "lock.sqlite");
}

/**
 * Creates the data directory for its owner only (0700). Rejects with `failed_precondition` if the directory cannot be
 * created, or if users outside its group have permissions on it. Rejects with `data_loss` if its database was emptied.
 * `flag` is the option that chooses another directory, for messages.
 */
export async function prepareDataDirectory(path: string, flag?: string): Promise<void> {
	await makeDataDirectory(path, flag);
	checkDatabase(path);
}

/** Creates the data directory as `prepareDataDirectory` does, but does not check the database. */
export async function makeDataDirectory(path: string, flag = "--data"): Promise<void> {
	try {
		await makeDirectories(path);
	} catch (cause) {
		throw directoryError(path, cause, flag);
	}
	await checkPermissions(path, 0o007);
}

async function makeDirectories(path: string): Promise<void> {
	// Node's own recursive `mkdir` never ends in directories such as /proc. The system reports there that the new
	// directory does not exist.
	const missing = [path];
	for (let above = dirname(path); !existsSync(above) && above !== dirname(above); above = dirname(above)) {
		missing.unshift(above);
	}
	for (const directory of missing) {
		await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
			const exists = errno(error) === "EEXIST" && isDirectory(directory);
			if (!exists) throw error;
		});
	}
}

function isDirectory(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Throws if the file of the database was emptied, because SQLite would treat an empty file as a new database. */
function checkDatabase(path: string): void {
	const file = databaseIn(path);
	// A key is created only after the database, so an empty file beside a key was emptied.
	if (statSync(file, { throwIfNoEntry: false })?.size !== 0 || !existsSync(secretKeyIn(path))) return;
	throw new ParleyError(dataDirectoryTexts.databaseEmpty({ file, directory: path }), { code: "data_loss" });
}

/**
 * Warns if a data directory contains keys or tokens, but no database. Call this function before an empty database is
 * created. Probably, the database was lost, or `--data` now names another directory.
 */
export function warnOfLostDatabase(path: string, log: Logger): void {
	if (existsSync(databaseIn(path))) return;
	const left = ["keys", "tokens"].flatMap((name) => namesIn(path, name));
	if (left.length === 0) return;
	log.warn(dataDirectoryTexts.databaseMissing({ directory: path, files: left.join(", ") }), {
		dataDirectory: path,
	});
}

function namesIn(path: string, directory: string): string[] {
	const subdirectory = join(path, directory);
	return isDirectory(subdirectory) ? readdirSync(subdirectory).map((name) => join(directory, name)) : [];
}

function directoryError(path: string, cause: unknown, flag: string): ParleyError {
	const choose = dataDirectoryTexts.chooseOther({ flag });
	const code = "failed_precondition";
	switch (errno(cause)) {
		case "EEXIST":
		case "ENOTDIR":
			return new ParleyError(dataDirectoryTexts.noDirectory({ path, choose }), { code, cause });
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return new ParleyError(dataDirectoryTexts.notCreatedByUser({ path, choose }), { code, cause });
		default:
			return new ParleyError(dataDirectoryTexts.notCreated({ path, reason: errno(cause), choose }), {
				code,
				cause,
			});
	}
}
