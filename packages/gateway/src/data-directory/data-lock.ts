import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// biome-ignore lint/plugin/sqlite-home: the database is only a lock and contains no data
import { DatabaseSync } from "node:sqlite";
import { ParleyError } from "@parley/base";
import { dataDirectoryTexts } from "../texts/data-directory.ts";
import { databaseIn, lockIn } from "./data-directory.ts";
import { errno } from "./errno.ts";

/**
 * Exclusive lock of a data directory. Keep a reference to the object: garbage collection of the object releases the
 * lock.
 */
export interface DataLock {
	/** Releases the lock. The end of the process also releases it. */
	release(): void;
}

interface Words {
	readonly other: string;
	/** Advice on how to stop the program that has the lock. */
	readonly stop: string;
	/** Flag that chooses another directory. */
	readonly flag: string;
}

const gatewayWords: Words = {
	other: "gateway",
	stop: dataDirectoryTexts.stopGateway,
	flag: "--data",
};

/** Words for a directory in which a subprocess stores its session. */
export const sessionWords: Words = {
	other: dataDirectoryTexts.otherAgent,
	stop: dataDirectoryTexts.endAgent,
	flag: "--session",
};

/** SQLite's result code if another connection has the lock: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Locks a data directory, so that no other process uses it. Throws `failed_precondition` if another process has the
 * lock. The error contains the id of that process, if known. The lock is SQLite's file lock on an empty database, so
 * the kernel releases it when the process ends, even after a kill. No other code in this process may open that file,
 * because closing the file would release the lock: https://www.sqlite.org/howtocorrupt.html, section 2.2
 *
 * If the lock file is missing, it may have been deleted while a gateway runs. Therefore, a directory without a lock
 * file is refused while any process has the database open.
 */
export function lockDataDirectory(dataDirectory: string, words: Words = gatewayWords): DataLock {
	const run = join(dataDirectory, "run");
	const file = lockIn(dataDirectory);
	const owner = join(run, "lock.pid");
	if (!existsSync(file)) checkUnused(databaseIn(dataDirectory), run, words);
	let database: DatabaseSync | undefined;
	try {
		mkdirSync(run, { recursive: true, mode: 0o700 });
		database = new DatabaseSync(file, { timeout: 0 });
		database.exec("BEGIN EXCLUSIVE");
		writeFileSync(owner, String(process.pid), { mode: 0o600 });
	} catch (cause) {
		database?.close();
		throw isBusy(cause) ? busyError(dataDirectory, words, cause) : unusableError(run, words, cause);
	}
	return lockOf(database);
}

function lockOf(database: DatabaseSync): DataLock {
	return {
		release: () => {
			if (database.isOpen) database.close();
		},
	};
}

/** Throws if another program has the database in `file` open. */
function checkUnused(file: string, run: string, words: Words): void {
	if (!existsSync(file)) return;
	let database: DatabaseSync | undefined;
	try {
		// Every connection in WAL mode has a shared lock on the file, which prevents an exclusive lock:
		// https://www.sqlite.org/pragma.html#pragma_locking_mode
		database = new DatabaseSync(file, { timeout: 0 });
		database.exec("PRAGMA locking_mode = EXCLUSIVE");
		database.exec("BEGIN EXCLUSIVE");
	} catch (cause) {
		// Other errors of the file are reported when the file is opened for use.
		if (isBusy(cause)) throw openElsewhereError({ file, run, words, cause });
	} finally {
		database?.close();
	}
}

/** Whether SQLite refused a lock because another connection has the lock. */
export function isBusy(error: unknown): boolean {
	return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

interface OpenElsewhere {
	readonly file: string;
	readonly run: string;
	readonly words: Words;
	readonly cause: unknown;
}

function openElsewhereError({ file, run, words, cause }: OpenElsewhere): ParleyError {
	return new ParleyError(
		dataDirectoryTexts.lockLost({ file, program: words.other, lock: run, flag: words.flag }),
		{ code: "failed_precondition", cause },
	);
}

function unusableError(run: string, { flag }: Words, cause: unknown): ParleyError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	if (reason === "database or disk is full") {
		return new ParleyError(dataDirectoryTexts.diskFull({ file: run }), {
			code: "unavailable",
			cause,
		});
	}
	return new ParleyError(dataDirectoryTexts.notWritable({ file: run, reason, flag }), {
		code: "failed_precondition",
		cause,
	});
}

function busyError(dataDirectory: string, { other, stop, flag }: Words, cause: unknown): ParleyError {
	const owner = ownerName(join(dataDirectory, "run", "lock.pid"));
	return new ParleyError(
		dataDirectoryTexts.inUse({ directory: dataDirectory, program: other, owner, stop, flag }),
		{ code: "failed_precondition", cause },
	);
}

/** Returns a text with the id of the process that has the lock, or "" if the process has not written its file yet. */
function ownerName(owner: string): string {
	try {
		return ` (process ${readFileSync(owner, "utf8")})`;
	} catch (error) {
		if (errno(error) === "ENOENT") return "";
		throw error;
	}
}
