import type { DatabaseSync } from "node:sqlite";
import { DEFAULT_MIGRATION_LOCK_TABLE, DEFAULT_MIGRATION_TABLE, MIGRATION_LOCK_ID } from "kysely/migration";

/** What some migrations make of an empty SQLite database, so that one need not go through them one by one. */
export interface FreshSchema {
	/** Their names: a database made of it has been through these, and goes through all others. */
	readonly migrations: readonly string[];
	/** Statements that make every table, index and trigger, those of the migrations' own bookkeeping too. */
	readonly schema: string;
}

/** Makes an empty database what the schema says, as a whole or not at all; false for one that holds anything. */
export function createFresh(database: DatabaseSync, fresh: FreshSchema, now: number): boolean {
	// Immediate: of two programs that find it empty one goes first, and the other finds what that one made.
	database.exec("begin immediate");
	try {
		const isEmpty = database.prepare("select 1 from sqlite_schema limit 1").get() === undefined;
		if (isEmpty) fill(database, fresh, new Date(now).toISOString());
		database.exec("commit");
		return isEmpty;
	} catch (error) {
		if (database.isTransaction) database.exec("rollback");
		throw error;
	}
}

function fill(database: DatabaseSync, { schema, migrations }: FreshSchema, time: string): void {
	database.exec(schema);
	const passed = database.prepare(`insert into "${DEFAULT_MIGRATION_TABLE}" (name, timestamp) values (?, ?)`);
	for (const name of migrations) passed.run(name, time);
	database
		.prepare(`insert into "${DEFAULT_MIGRATION_LOCK_TABLE}" (id, is_locked) values (?, 0)`)
		.run(MIGRATION_LOCK_ID);
}
