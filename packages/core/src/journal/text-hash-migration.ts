import type { Kysely } from "kysely";

/** The tables that hold text of sessions; rows from before this migration have no hash, and are reported as unverified. */
const tables = ["events", "steps", "runs", "steers", "compactions"];

/** Hashes by which an altered text is noticed. */
export async function addTextHashes(db: Kysely<unknown>): Promise<void> {
	for (const table of tables) await db.schema.alterTable(table).addColumn("hash", "text").execute();
}
