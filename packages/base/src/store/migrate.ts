import type { DatabaseSync } from "node:sqlite";
import { type Kysely, sql } from "kysely";
import {
	DEFAULT_MIGRATION_LOCK_TABLE,
	DEFAULT_MIGRATION_TABLE,
	MIGRATION_LOCK_ID,
	Migrator,
} from "kysely/migration";
import { ParleyError } from "../errors.ts";
import type { Engine, Migration } from "./store.ts";

/** A database and the schema that the program expects in it. */
export interface Schema {
	readonly db: Kysely<unknown>;
	readonly engine: Engine;
	readonly migrations: readonly Migration[];
}

/**
 * The name of the first migration that the database lacks, or nothing. Throws `failed_precondition` when a newer
 * program has written the database. Writes nothing.
 */
export async function findPending({ db, migrations }: Schema): Promise<string | undefined> {
	const known = [...new Set(migrations.map((migration) => migration.name))].sort();
	if (known.length < migrations.length) {
		throw new ParleyError("two migrations have the same name", { code: "internal" });
	}
	const applied = await readMigrationNames(db);
	const newest = applied.findLast((name) => !known.includes(name));
	if (newest === undefined) return known.find((name) => !applied.includes(name));
	throw new ParleyError(
		`the database was written by a newer Parley (has ${newest}, this program knows up to ${known.at(-1)}): ` +
			"upgrade the program or restore a backup",
		{ code: "failed_precondition" },
	);
}

/** Runs what is pending in one transaction: a crash or an error leaves the schema as it was. */
export async function migrate({ db, engine, migrations }: Schema): Promise<void> {
	const steps = migrations.map((migration) => {
		return [migration.name, { up: (target: Kysely<unknown>) => migration.up(target, engine) }] as const;
	});
	const provider = { getMigrations: async () => Object.fromEntries(steps) };
	const { error, results } = await new Migrator({ db, provider }).migrateToLatest();
	if (error === undefined) return;
	const failed = results?.find((result) => result.status === "Error")?.migrationName;
	throw new ParleyError(`${failed ? `migration ${failed}` : "migrating"} failed, the data is as it was`, {
		code: "internal",
		cause: error,
	});
}

/** The names of the migrations that a database has been through, in order. */
export async function readMigrationNames<DB>(db: Kysely<DB>): Promise<string[]> {
	const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
	if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) return [];
	const query = sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`;
	const { rows } = await query.execute(db);
	return rows.map((row) => row.name);
}

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
