import { existsSync } from "node:fs";
import { Kysely } from "kysely";
import { ParleyError } from "../errors.ts";
import { findPending } from "./migrate.ts";
import { NodeSqliteDialect } from "./node-sqlite-dialect.ts";
import { checkIntegrity, copyDatabase, openReader } from "./sqlite-file.ts";
import type { Migration } from "./store.ts";

/**
 * Copies the database of `file`, which may be in use by any process, as it is at this moment: one file (0600) without
 * side files. `query` reads from the copy. Throws `not_found` where there is no database.
 */
export async function copySqliteFile<DB, T>(
	file: string,
	target: string,
	query: (copy: Kysely<DB>) => Promise<T>,
): Promise<T> {
	if (!existsSync(file)) throw new ParleyError(`there is no database ${file}`, { code: "not_found" });
	const database = openReader(file);
	try {
		copyDatabase(database, target);
	} finally {
		database.close();
	}
	return readSqliteFile(target, query);
}

/**
 * Looks whether a program that knows `migrations` could open the database, and leaves it as it is. Throws `data_loss`
 * where it is damaged, `failed_precondition` where a newer program has written it.
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

/** Reads from the database of `file`, which may be in use by any process, and leaves it as it is. */
export async function readSqliteFile<DB, T>(file: string, query: (db: Kysely<DB>) => Promise<T>): Promise<T> {
	const database = openReader(file);
	try {
		return await query(new Kysely<DB>({ dialect: new NodeSqliteDialect(database) }));
	} finally {
		database.close();
	}
}
