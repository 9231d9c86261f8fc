import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import { errno } from "./errno.ts";
import { checkPermissions } from "./private-file.ts";
import { secretKeyIn } from "./secret-key.ts";

/** Where the conversations are. */
export function databaseIn(dataDirectory: string): string {
	return join(dataDirectory, "parley.sqlite");
}

/**
 * Makes the data directory, for its owner only (0700). Rejects with `failed_precondition` one that every user of the
 * machine may enter, because it holds tokens and conversations, and what is no directory at all; with `data_loss` one
 * whose database was emptied.
 */
export async function prepareDataDirectory(path: string): Promise<void> {
	await makeDataDirectory(path);
	checkDatabase(path);
}

/** Like `prepareDataDirectory`, whatever has become of the database. */
export async function makeDataDirectory(path: string): Promise<void> {
	try {
		await mkdir(path, { recursive: true, mode: 0o700 });
	} catch (cause) {
		throw directoryError(path, cause);
	}
	await checkPermissions(path, 0o007);
}

/** An empty file is a new database to SQLite. The key is made after the first database, so there was one. */
function checkDatabase(path: string): void {
	const file = databaseIn(path);
	if (statSync(file, { throwIfNoEntry: false })?.size !== 0 || !existsSync(secretKeyIn(path))) return;
	throw new ParleyError(
		`the database ${file} is damaged: it is empty, but ${path} has been used before; restore a backup in its place, ` +
			"or remove it and its -wal file to begin without the old conversations",
		{ code: "data_loss" },
	);
}

function directoryError(path: string, cause: unknown): ParleyError {
	const choose = "choose another data directory with --data DIR";
	const code = "failed_precondition";
	switch (errno(cause)) {
		case "EEXIST":
		case "ENOTDIR":
			return new ParleyError(`${path} is not a directory; ${choose}`, { code, cause });
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return new ParleyError(`${path} cannot be created by this user; ${choose}`, { code, cause });
		default:
			return new ParleyError(`${path} cannot be created; ${choose}`, { code, cause });
	}
}
