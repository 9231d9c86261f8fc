import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// biome-ignore lint/plugin/sqlite-home: this is a lock of the kernel's, with no data in it
import { DatabaseSync } from "node:sqlite";
import { ParleyError } from "@parley/base";
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
 */
export function lockDataDirectory(dataDirectory: string): DataLock {
	const run = join(dataDirectory, "run");
	const owner = join(run, "lock.pid");
	mkdirSync(run, { recursive: true, mode: 0o700 });
	const database = new DatabaseSync(join(run, "lock.sqlite"), { timeout: 0 });
	try {
		database.exec("BEGIN EXCLUSIVE");
		writeFileSync(owner, String(process.pid), { mode: 0o600 });
	} catch (cause) {
		database.close();
		throw isBusy(cause) ? busyError(dataDirectory, owner, cause) : cause;
	}
	return {
		release: () => {
			if (database.isOpen) database.close();
		},
	};
}

function isBusy(error: unknown): boolean {
	return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
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
