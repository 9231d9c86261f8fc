import { type Kysely, sql } from "kysely";
import { DEFAULT_MIGRATION_TABLE, Migrator } from "kysely/migration";
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
