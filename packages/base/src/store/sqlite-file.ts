import {
	chmodSync,
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	openSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { CorrectableError, ParleyError } from "../errors.ts";
import { findPending } from "./migrate.ts";
import { NodeSqliteDialect } from "./node-sqlite-dialect.ts";
import type { StorageFailure } from "./storage-health.ts";
import type { Migration } from "./store.ts";

/** Maximum milliseconds that a statement waits for the lock of another connection. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Creates missing directories (0700) and the file, and sets its mode to 0600. SQLite creates its additional files with
 * the mode of the database file.
 */
export function createPrivately(file: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	closeSync(openSync(file, "a", 0o600));
	chmodSync(file, 0o600);
}

/** Opens a read-only connection. Closing the connection does not change the file. */
export function openReader(file: string): DatabaseSync {
	return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
}

/**
 * Opens a connection for writing. A commit is reported only after it has reached the disk. The connection does not
 * enforce foreign keys, so that migrations can rebuild a table without deleting the rows that refer to the table.
 */
export function openWriter(file: string): DatabaseSync {
	const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
	database.exec("pragma journal_mode = wal");
	// With `full`, each commit reaches the disk: https://www.sqlite.org/pragma.html#pragma_synchronous
	database.exec("pragma synchronous = full");
	return database;
}

/** Throws `data_loss` if the file is damaged or is not a database. Reads the complete file. */
export function checkIntegrity(database: DatabaseSync, file: string): void {
	refuseDamage(file, () => {
		const report = database.prepare("pragma quick_check(1)").get()?.["quick_check"];
		if (report !== "ok") throw new Damage(String(report));
	});
}

/** Throws `data_loss` if the header or the schema is damaged. */
export function checkSchema(database: DatabaseSync, file: string): void {
	refuseDamage(file, () => void database.prepare("select count(*) from sqlite_schema").get());
}

class Damage extends Error {}

function refuseDamage(file: string, check: () => void): void {
	try {
		check();
	} catch (cause) {
		if (!isDamage(cause)) throw cause;
		throw new CorrectableError(
			{
				what: `the database ${file} is damaged and was not changed`,
				fix: "move it and its -wal file aside, restore a backup in its place, and start again",
			},
			{ code: "data_loss", cause },
		);
	}
}

function isDamage(error: unknown): boolean {
	if (error instanceof Damage) return true;
	const primary = codeOf(error) & 0xff;
	// SQLITE_CORRUPT and SQLITE_NOTADB: https://www.sqlite.org/rescode.html
	return primary === 11 || primary === 26;
}

/** Result codes of failures: SQLITE_READONLY, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_NOTADB. */
const failures = [8, 10, 11, 14, 26];

/**
 * Returns the kind of disk failure if an SQLite error reports a disk failure. Returns undefined for other errors.
 * SQLITE_FULL and SQLITE_IOERR_SHMSIZE (no space for the `-shm` file) mean that the disk is full.
 */
export function storageFailure(error: unknown): StorageFailure | undefined {
	const code = codeOf(error);
	if (code === 4874 || (code & 0xff) === 13) return "full";
	return failures.includes(code & 0xff) ? "failing" : undefined;
}

/** Returns the extended result code of an SQLite error, or 0 for any other error. */
function codeOf(error: unknown): number {
	return error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
}

/**
 * Copies the database to the file `target`, completely or not at all. Replaces an earlier file with the same name. Does
 * nothing if the database is empty.
 */
export function copyDatabase(database: DatabaseSync, target: string): void {
	if (database.prepare("select 1 from sqlite_schema limit 1").get() === undefined) return;
	const unfinished = `${target}.part`;
	rmSync(unfinished, { force: true });
	const copy = openSync(unfinished, "wx", 0o600);
	try {
		database.prepare("vacuum into ?").run(unfinished);
		fsyncSync(copy);
		renameSync(unfinished, target);
	} catch (error) {
		// A partial copy would occupy space on the full disk.
		rmSync(unfinished, { force: true });
		throw error;
	} finally {
		closeSync(copy);
	}
}

/**
 * Copies the current state of the database in `file` to the single file `target` (0600). Other processes may use the
 * database. Resolves with the result of `query`, which reads from the copy. Rejects with `not_found` if the database
 * does not exist or is empty.
 */
export async function copySqliteFile<DB, T>(
	file: string,
	target: string,
	query: (copy: Kysely<DB>) => Promise<T>,
): Promise<T> {
	// A program that ended between the creation and the first write leaves an empty file.
	if (!existsSync(file) || statSync(file).size === 0) {
		throw new ParleyError(
			`cannot copy the database ${file}: it does not exist, is not accessible, or is empty; check its path and its permissions`,
			{
				code: "not_found",
			},
		);
	}
	const database = openReader(file);
	try {
		copyDatabase(database, target);
	} finally {
		database.close();
	}
	return readSqliteFile(target, query);
}

/**
 * Throws `data_loss` if the database is damaged, and `failed_precondition` if the database contains a migration that is
 * not in `migrations`. Does not change the database.
 */
export async function checkSqliteFile(file: string, migrations: readonly Migration[]): Promise<void> {
	const database = openReader(file);
	try {
		checkIntegrity(database, file);
		const db = new Kysely<unknown>({ dialect: new NodeSqliteDialect(database) });
		await findPending({ db, engine: "sqlite", migrations });
	} finally {
		database.close();
	}
}

/** Reads from the database in `file` without changing it. Other processes may use the database. */
export async function readSqliteFile<DB, T>(file: string, query: (db: Kysely<DB>) => Promise<T>): Promise<T> {
	const database = openReader(file);
	try {
		return await query(new Kysely<DB>({ dialect: new NodeSqliteDialect(database) }));
	} finally {
		database.close();
	}
}
