import { existsSync } from "node:fs";
import { type Clock, readSqliteFile } from "@parley/base";
import { type ConnectorTables, type Decision, decideRow, readStuck, type StuckRow } from "@parley/connector";
import { databaseFileIn, openConnectorDatabase } from "./connector-database.ts";

/** Up to `limit` posts that are held or were given up, and why; the connector may run meanwhile. */
export async function readStuckPosts(dataDir: string, limit: number): Promise<StuckRow[]> {
	const file = databaseFileIn(dataDir);
	if (!existsSync(file)) return [];
	return readSqliteFile<ConnectorTables, StuckRow[]>(file, (db) => readStuck(db, limit));
}

/**
 * Ends the waiting of a held post, which the next start of the connector then sends or leaves. Only for whoever has the
 * connector's lock. Rejects with `not_found`, or `failed_precondition` where the post is not held.
 */
export async function decideStuckPost(options: {
	readonly dataDir: string;
	readonly clock: Clock;
	readonly id: string;
	readonly decision: Decision;
}): Promise<void> {
	const { clock, id, decision } = options;
	const { store } = await openConnectorDatabase(options);
	try {
		await store.commit((tx) => decideRow(tx, id, decision, clock.now()));
	} finally {
		await store.close();
	}
}
