import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// biome-ignore lint/plugin/sqlite-home: this is a lock of the kernel's, with no data in it
import { DatabaseSync } from "node:sqlite";
import { ParleyError } from "@parley/base";
import { databaseIn } from "./data-directory.ts";
import { errno } from "./errno.ts";

/** The right to use a data directory. Keep it: when it is garbage-collected, the lock goes with it. */
export interface DataLock {
	/** Gives the directory free. The end of the process does so too, however it comes. */
	release(): void;
}

/** What SQLite answers when somebody else holds the lock: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Makes this process the only gateway on a data directory; throws `failed_precondition` with the other's process id
 * where there is one. The lock is SQLite's on an empty database, thus the kernel's: it does not outlive a killed
 * process. Nothing else in this process may open that file, because closing it would drop the lock:
 * https://www.sqlite.org/howtocorrupt.html, section 2.2
 *
 * Where the lock's own file is missing, the directory of a running gateway may have lost it. Then it is also refused,
 * and no new one is made, as long as any process has the conversations open.
 */
export function lockDataDirectory(dataDirectory: string): DataLock {
	const run = join(dataDirectory, "run");
	const file = join(run, "lock.sqlite");
	const owner = join(run, "lock.pid");
	if (!existsSync(file)) checkUnused(databaseIn(dataDirectory), run);
	let database: DatabaseSync | undefined;
	try {
		mkdirSync(run, { recursive: true, mode: 0o700 });
		database = new DatabaseSync(file, { timeout: 0 });
		database.exec("BEGIN EXCLUSIVE");
		writeFileSync(owner, String(process.pid), { mode: 0o600 });
	} catch (cause) {
		database?.close();
		throw isBusy(cause) ? busyError(dataDirectory, owner, cause) : unusableError(run, cause);
	}
	return holding(database);
}

function holding(database: DatabaseSync): DataLock {
	return {
		release: () => {
			if (database.isOpen) database.close();
		},
	};
}

/**
 * Throws when anybody has the database open. Every connection to one in WAL mode holds a shared lock on its file, which
 * the lock of exclusive mode excludes: https://www.sqlite.org/pragma.html#pragma_locking_mode
 */
function checkUnused(file: string, run: string): void {
	if (!existsSync(file)) return;
	let database: DatabaseSync | undefined;
	try {
		database = new DatabaseSync(file, { timeout: 0 });
		database.exec("PRAGMA locking_mode = EXCLUSIVE");
		database.exec("BEGIN EXCLUSIVE");
	} catch (cause) {
		// What else may be wrong with the file is found, and said, when it is opened for use.
		if (isBusy(cause)) throw openElsewhereError(file, run, cause);
	} finally {
		database?.close();
	}
}

function isBusy(error: unknown): boolean {
	return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

function openElsewhereError(file: string, run: string, cause: unknown): ParleyError {
	return new ParleyError(
		`${file} is in use by another process, perhaps a gateway that lost ${run}; ` +
			`stop that process (\`fuser ${file}\` prints its id), or choose another directory with --data DIR`,
		{ code: "failed_precondition", cause },
	);
}

function unusableError(run: string, cause: unknown): ParleyError {
	const why = cause instanceof Error ? cause.message : String(cause);
	if (why === "database or disk is full") {
		return new ParleyError(`${run} cannot be written: the disk is full; free some space and start again`, {
			...{ code: "unavailable", cause },
		});
	}
	return new ParleyError(
		`${run} cannot be written (${why}); make the data directory writable for this user, ` +
			"or choose another one with --data DIR",
		{ code: "failed_precondition", cause },
	);
}

function busyError(dataDirectory: string, owner: string, cause: unknown): ParleyError {
	return new ParleyError(
		`${dataDirectory} is in use by another gateway${ownerName(owner)}; ` +
			"stop it with `parley stop`, or choose another directory with --data DIR",
		{ code: "failed_precondition", cause },
	);
}

/** For a moment after the lock is taken the file does not name its owner. */
function ownerName(owner: string): string {
	try {
		return ` (process ${readFileSync(owner, "utf8")})`;
	} catch (error) {
		if (errno(error) === "ENOENT") return "";
		throw error;
	}
}
