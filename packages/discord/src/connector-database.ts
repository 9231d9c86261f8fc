import { join } from "node:path";
import {
	type Clock,
	type Failpoints,
	keyvMigration,
	openKeyv,
	openSqliteStore,
	ParleyError,
	type Store,
} from "@parley/base";
import { type ConnectorTables, connectorMigrations } from "@parley/connector";
import type { MarkStore, Marks } from "./catch-up/high-water.ts";
import type { GatewaySession, SessionStore } from "./client/session-store.ts";
import type { CommandMemory, InstalledState } from "./commands/command-memory.ts";

/** What the connector keeps: nothing that could not be found out again from the gateway and from Discord. */
export interface ConnectorDatabase {
	readonly store: Store<ConnectorTables>;
	readonly sessions: SessionStore;
	readonly marks: MarkStore;
	readonly commands: CommandMemory;
}

export function databaseFileIn(dataDir: string): string {
	return join(dataDir, "connectors", "discord.sqlite");
}

/** Opens `connectors/discord.sqlite` in the data directory, readable by its owner only; rejects as `openSqliteStore` does. */
export async function openConnectorDatabase(options: {
	readonly dataDir: string;
	readonly clock: Clock;
	readonly failpoints?: Failpoints;
}): Promise<ConnectorDatabase> {
	const { dataDir, ...rest } = options;
	const file = databaseFileIn(dataDir);
	const store = await openSqliteStore<ConnectorTables>({
		...{ ...rest, file },
		migrations: [keyvMigration, ...connectorMigrations],
	}).catch((reason: unknown) => {
		throw reason instanceof ParleyError ? asDispensable(reason, file) : reason;
	});
	const { clock } = options;
	const values = openKeyv<unknown, ConnectorTables>({ store, clock, namespace: "discord" });
	// Each name is written by its own of these alone.
	const kept = async <Value>(name: string): Promise<Value | undefined> =>
		(await values.get(name)) as Value | undefined;
	return {
		store,
		sessions: {
			load: () => kept<GatewaySession>("session"),
			async save(session) {
				await (session === undefined ? values.delete("session") : values.set("session", session));
			},
		},
		marks: {
			load: () => kept<Marks>("marks"),
			async save(marks) {
				await values.set("marks", marks);
			},
		},
		commands: {
			load: () => kept<InstalledState>("commands"),
			async save(state) {
				await values.set("commands", state);
			},
		},
	};
}

/** Of a database that can be made again, nothing has to be restored. */
function asDispensable(error: ParleyError, file: string): ParleyError {
	if (error.code !== "data_loss" && error.code !== "failed_precondition") return error;
	const what = error.code === "data_loss" ? "is damaged" : "was written by a newer version of Parley";
	const quoted = `'${file.replaceAll("'", "'\\''")}'`;
	const fix = `it holds nothing that cannot be found out again; delete it: rm ${quoted}*`;
	return new ParleyError(`the connector's database ${what}: ${fix}`, { code: error.code, cause: error });
}
