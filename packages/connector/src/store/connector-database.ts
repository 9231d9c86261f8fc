import { join } from "node:path";
import {
	type Clock,
	defined,
	type Failpoints,
	keyvMigration,
	openKeyv,
	openSqliteStore,
	ParleyError,
	type Store,
} from "@parley/base";
import { BatchingStore } from "./batching-store.ts";
import { connectorMigrations } from "./migrations.ts";
import type { ConnectorTables } from "./tables.ts";

/** A value that survives a restart. */
export interface StoredValue<Value> {
	load(): Promise<Value | undefined>;
	/**
	 * Saves the value; `undefined` deletes it. The value expires after `retentionMs` milliseconds. Default:
	 * never.
	 */
	save(value: Value | undefined, retentionMs?: number): Promise<void>;
}

/**
 * Stored data of a connector. If it is lost, the connector continues with the data of the gateway and the
 * platform.
 */
export interface ConnectorDatabase {
	readonly store: Store<ConnectorTables>;
	/** Returns the stored value with a name. The caller must use each name for one type of value. */
	storedValue<Value>(name: string): StoredValue<Value>;
}

export interface DatabaseLocation {
	/** Name of the platform, as in the file name. */
	readonly platform: string;
	readonly dataDir: string;
}

export interface ConnectorDatabaseOptions extends DatabaseLocation {
	readonly clock: Clock;
	readonly failpoints?: Failpoints | undefined;
}

export function connectorDatabaseFile({ dataDir, platform }: DatabaseLocation): string {
	return join(dataDir, "connectors", `${platform}.sqlite`);
}

/**
 * Opens `connectors/PLATFORM.sqlite` in the data directory. Only the user of this process can read the file. Rejects
 * with the codes of `openSqliteStore`.
 */
export async function openConnectorDatabase(options: ConnectorDatabaseOptions): Promise<ConnectorDatabase> {
	const { platform, clock, failpoints } = options;
	const file = connectorDatabaseFile(options);
	const opened = await openSqliteStore<ConnectorTables>({
		file,
		clock,
		...defined({ failpoints }),
		migrations: [keyvMigration, ...connectorMigrations],
	}).catch((reason: unknown) => {
		throw reason instanceof ParleyError ? asDispensable(reason, file) : reason;
	});
	const store = new BatchingStore(opened, clock);
	return { store, storedValue: storedValuesOf(store, clock, platform) };
}

/** Returns the function `storedValue` of a connector's database. */
export function storedValuesOf(
	store: Store<ConnectorTables>,
	clock: Clock,
	platform: string,
): ConnectorDatabase["storedValue"] {
	const values = openKeyv<unknown, ConnectorTables>({ store, clock, namespace: platform });
	return <Value>(name: string) => ({
		// The cast is safe because `save` wrote the value, and the caller uses each name for one type of value.
		load: async () => (await values.get(name)) as Value | undefined,
		async save(value, retentionMs) {
			await (value === undefined ? values.delete(name) : values.set(name, value, retentionMs));
		},
	});
}

/**
 * Replaces the advice to restore a backup, because the connector's database can be rebuilt. Returns other errors
 * unchanged.
 */
function asDispensable(error: ParleyError, file: string): ParleyError {
	if (error.code !== "data_loss" && error.code !== "failed_precondition") return error;
	const what = error.code === "data_loss" ? "is damaged" : "was written by a newer version of Parley";
	const quoted = `'${file.replaceAll("'", "'\\''")}'`;
	const fix = `delete it with \`rm ${quoted}*\`; the connector then builds the database again`;
	return new ParleyError(`the connector's database ${what}: ${fix}`, { code: error.code, cause: error });
}
