import { existsSync } from "node:fs";
import { readSqliteFile } from "@parley/base";
import {
	type ConnectorDatabaseOptions,
	connectorDatabaseFile,
	openConnectorDatabase,
} from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { type Decision, decideRow, readStuck, type StuckRow } from "./decisions.ts";

/** Up to `limit` posts of a connector that are held or were given up, and why; it may run meanwhile. */
export async function readStuckPosts(
	where: Pick<ConnectorDatabaseOptions, "dataDir" | "platform">,
	limit: number,
): Promise<StuckRow[]> {
	const file = connectorDatabaseFile(where);
	if (!existsSync(file)) return [];
	return readSqliteFile<ConnectorTables, StuckRow[]>(file, (db) => readStuck(db, limit));
}

/**
 * Ends the waiting of a held post, which the next start of the connector then sends or leaves, or has it send an answer
 * that was given up. Only for whoever has the connector's lock. Rejects with `not_found`, or `failed_precondition` where
 * there is nothing to be decided.
 */
export async function decideStuckPost(
	where: ConnectorDatabaseOptions,
	{ id, decision }: { readonly id: string; readonly decision: Decision },
): Promise<void> {
	const { store } = await openConnectorDatabase(where);
	try {
		await store.commit((tx) => decideRow(tx, id, decision, where.clock.now()));
	} finally {
		await store.close();
	}
}
