import { type Kysely, sql } from "kysely";

/** The tables that hold text of sessions. Rows from before this migration have no hash and are reported as unverified. */
const tables = ["events", "steps", "runs", "steers", "compactions"];

/** Adds hashes by which altered text is noticed. */
export async function addTextHashes(db: Kysely<unknown>): Promise<void> {
	for (const table of tables) await db.schema.alterTable(table).addColumn("hash", "text").execute();
}

/** Adds the number of the first event that must have a hash to each session, so that deleted hashes are noticed. */
export async function addHashedFrom(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.alterTable("sessions")
		.addColumn("hashed_from", "bigint", (column) => column.notNull().defaultTo(1))
		.execute();
	await sql`update sessions set hashed_from = coalesce(
		(select min(seq) from events where session_id = sessions.id and hash is not null), last_seq + 1)`.execute(
		db,
	);
}
