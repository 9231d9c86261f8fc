import type { DatabaseSync } from "node:sqlite";
import { type Kysely, sql } from "kysely";
import {
	DEFAULT_MIGRATION_LOCK_TABLE,
	DEFAULT_MIGRATION_TABLE,
	MIGRATION_LOCK_ID,
	Migrator,
} from "kysely/migration";
import { CorrectableError, ParleyError } from "../errors.ts";
import type { Engine, Migration } from "./store.ts";

/** A database, and the migrations that the program expects in the database. */
export interface Schema {
	readonly db: Kysely<unknown>;
	readonly engine: Engine;
	readonly migrations: readonly Migration[];
}

/**
 * Returns the name of the first migration that has not run on the database. Returns undefined if all migrations have
 * run. Throws `failed_precondition` if a newer program wrote the database. Writes nothing.
 */
export async function findPending({ db, migrations }: Schema): Promise<string | undefined> {
	const names = migrations.map((migration) => migration.name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined)
		throw new ParleyError(`two migrations have the name ${twice}`, { code: "internal" });
	const known = names.toSorted();
	const applied = await readMigrationNames(db);
	const newest = applied.findLast((name) => !known.includes(name));
	if (newest === undefined) return known.find((name) => !applied.includes(name));
	throw new CorrectableError(
		{
			what: `a newer version of Parley wrote the database (newest migration: ${newest}; this program knows migrations up to ${known.at(-1)})`,
			fix: "upgrade the program or restore a backup",
		},
		{ code: "failed_precondition" },
	);
}

/** Runs all migrations that have not run, in one transaction. After a crash or an error, the schema is unchanged. */
export async function migrate({ db, engine, migrations }: Schema): Promise<void> {
	const steps = migrations.map((migration) => {
		return [migration.name, { up: (target: Kysely<unknown>) => migration.up(target, engine) }] as const;
	});
	const provider = { getMigrations: async () => Object.fromEntries(steps) };
	const { error, results } = await new Migrator({ db, provider }).migrateToLatest();
	if (error === undefined) return;
	const failed = results?.find((result) => result.status === "Error")?.migrationName;
	const name = failed ? `migration ${failed}` : "the migration";
	const reason = error instanceof Error ? error.message : String(error);
	throw new ParleyError(
		`${name} failed (${reason}), and the data is unchanged: correct the cause and start again`,
		{
			code: "internal",
			cause: error,
		},
	);
}

/** Returns the names of the migrations that have run on the database, in alphabetical order. */
export async function readMigrationNames<DB>(db: Kysely<DB>): Promise<string[]> {
	const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
	if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) return [];
	const query = sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`;
	const { rows } = await query.execute(db);
	return rows.map((row) => row.name);
}

/**
 * Schema of a new SQLite database after the migrations in `migrations`. To create the schema directly is faster than to
 * run the migrations.
 */
export interface FreshSchema {
	/**
	 * Names of the migrations that the schema already includes. All other migrations run after the creation of the
	 * schema.
	 */
	readonly migrations: readonly string[];
	/** Statements that create all tables, indexes and triggers, including the table of migrations. */
	readonly schema: string;
}

/** Creates the schema in an empty database, completely or not at all. Returns false if the database has any table. */
export function createFresh(database: DatabaseSync, fresh: FreshSchema, now: number): boolean {
	// The transaction is immediate, so that only one of two programs creates the schema of an empty database.
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
