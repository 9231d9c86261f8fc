import { existsSync } from "node:fs";
import { readSqliteFile } from "@parley/base";
import { sql } from "kysely";
import { connectorDatabaseFile, type DatabaseLocation } from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";

/** A notice that could not be posted in its first way. */
export interface Unreached {
	/** The ways that failed, with the platform's reasons. */
	readonly reason: string;
	/** Time at which the notice was posted in another way or given up, in milliseconds since the epoch. */
	readonly at: number;
}

/**
 * Returns the stored notices that could not be posted in their first way, newest first. Returns an empty list if
 * the connector has no database. The connector may be running.
 */
export async function readUnreached(where: DatabaseLocation): Promise<Unreached[]> {
	const file = connectorDatabaseFile(where);
	if (!existsSync(file)) return [];
	return readSqliteFile<ConnectorTables, Unreached[]>(file, async (db) => {
		const rows = await db
			.selectFrom("outbox")
			.select(["reason", "changed_at"])
			.where("state", "in", ["confirmed", "dead"])
			.where("reason", "is not", null)
			// This pattern cannot match inside a text, because JSON escapes quotes.
			.where(sql<boolean>`payload like '%"notifies":{%'`)
			.orderBy("changed_at", "desc")
			.execute();
		return rows.map(({ reason, changed_at }) => ({ reason: reason ?? "", at: Number(changed_at) }));
	});
}
