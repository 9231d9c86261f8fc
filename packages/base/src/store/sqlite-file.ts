import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ParleyError } from "../errors.ts";

/** How long a statement waits for another process that is writing. */
const BUSY_TIMEOUT_MS = 5000;

/** Creates the directory (0700) and the file (0600) if need be. SQLite gives its side files the mode of the database. */
export function createPrivately(file: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	closeSync(openSync(file, "a", 0o600));
	chmodSync(file, 0o600);
}

/** A connection that cannot write, and that leaves the file as it is when it is closed. */
export function openReader(file: string): DatabaseSync {
	return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
}

/**
 * A connection whose commits reach the disk before they are reported. Foreign keys are not enforced yet, so that
 * migrations can rebuild tables without deleting what refers to them.
 */
export function openWriter(file: string): DatabaseSync {
	const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
	database.exec("pragma journal_mode = wal");
	// https://www.sqlite.org/pragma.html#pragma_synchronous
	database.exec("pragma synchronous = full");
	// A checkpoint blocks the event loop; this many pages (0.8 MB) keep it to a few milliseconds.
	database.exec("pragma wal_autocheckpoint = 200");
	return database;
}

/** Throws `data_loss` unless the file is a database without damage. */
export function checkIntegrity(database: DatabaseSync, file: string): void {
	const damage = findDamage(database);
	if (damage === undefined) return;
	throw new ParleyError(
		`the database ${file} is damaged and was left as it is: move it and its -wal file aside, ` +
			"restore a backup in its place, and start again",
		{ code: "data_loss", cause: damage },
	);
}

function findDamage(database: DatabaseSync): unknown {
	try {
		const report = database.prepare("pragma quick_check(1)").get()?.["quick_check"];
		return report === "ok" ? undefined : new Error(String(report));
	} catch (error) {
		if (isDamage(error)) return error;
		throw error;
	}
}

/** SQLITE_CORRUPT and SQLITE_NOTADB: https://www.sqlite.org/rescode.html */
function isDamage(error: unknown): boolean {
	if (!(error instanceof Error && "errcode" in error)) return false;
	const primary = Number(error.errcode) & 0xff;
	return primary === 11 || primary === 26;
}

/** Copies the database, complete or not at all, over an earlier copy of the same name. Does nothing for an empty one. */
export function copyDatabase(database: DatabaseSync, target: string): void {
	if (database.prepare("select 1 from sqlite_schema limit 1").get() === undefined) return;
	const unfinished = `${target}.part`;
	rmSync(unfinished, { force: true });
	const copy = openSync(unfinished, "wx", 0o600);
	try {
		database.prepare("vacuum into ?").run(unfinished);
		fsyncSync(copy);
	} finally {
		closeSync(copy);
	}
	renameSync(unfinished, target);
}
