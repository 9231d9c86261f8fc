import { existsSync } from "node:fs";
import { keyvMigration, ParleyError, readMigrationNames, readSqliteFile } from "@parley/base";
import {
	type ConnectorDatabaseOptions,
	connectorDatabaseFile,
	openConnectorDatabase,
} from "../store/connector-database.ts";
import { connectorMigrations } from "../store/migrations.ts";
import { type Decision, leaveDecision } from "./decisions.ts";

/**
 * Has the connector that runs send a held post or an answer that was given up, or never send it, within some seconds. Nothing else of its database is
 * changed, and no table: a connector of another version is refused with `failed_precondition`, as is a post of which
 * nothing is to be decided. Rejects with `not_found` where there is none.
 */
export async function leaveDecisionOn(
	where: ConnectorDatabaseOptions,
	{ id, decision }: { readonly id: string; readonly decision: Decision },
): Promise<void> {
	const file = connectorDatabaseFile(where);
	if (!existsSync(file)) throw new ParleyError(`the outbox has no row ${id}`, { code: "not_found" });
	const known = new Set(await readSqliteFile<unknown, string[]>(file, readMigrationNames));
	if (![keyvMigration, ...connectorMigrations].every(({ name }) => known.has(name))) {
		const message = `the ${where.platform} connector that runs is of an earlier version of Parley: start it again first`;
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const { store } = await openConnectorDatabase(where);
	try {
		await store.commit((tx) => leaveDecision(tx, id, decision, where.clock.now()));
	} finally {
		await store.close();
	}
}
