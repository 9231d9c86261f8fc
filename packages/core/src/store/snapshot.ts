import { copySqliteFile, readMigrationNames } from "@parley/base";
import { type Kysely, sql } from "kysely";
import type { Tables } from "./tables.ts";

export interface Snapshot {
	/** Names of the migrations that have run on the journal. */
	readonly migrations: readonly string[];
	readonly sessions: number;
	/** Ids of the stored files, from the journal. The files themselves are not part of the copy. */
	readonly fileIds: readonly string[];
}

/**
 * Copies a journal in its current state, even while the journal is in use, and describes the copy. An earlier version
 * of the program may have written the journal. Throws `not_found` if no journal exists.
 */
export function createSnapshot(file: string, target: string): Promise<Snapshot> {
	return copySqliteFile<Tables, Snapshot>(file, target, describe);
}

async function describe(db: Kysely<Tables>): Promise<Snapshot> {
	const names = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db);
	const has = (table: keyof Tables): boolean => names.rows.some(({ name }) => name === table);
	const files = has("files") ? await db.selectFrom("files").select("id").orderBy("id").execute() : [];
	const count = has("sessions") ? await db.selectFrom("sessions").select("id").execute() : [];
	return {
		migrations: await readMigrationNames(db),
		sessions: count.length,
		fileIds: files.map(({ id }) => id),
	};
}
