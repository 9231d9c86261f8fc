import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { type Failpoints, keyvMigration, noFailpoints, openSqliteStore, type Store } from "@parley/base";
import { openPgliteStore } from "@parley/base/testing";
import { connectorMigrations } from "../store/migrations.ts";
import type { ConnectorTables } from "../store/tables.ts";

type ConnectorStore = Store<ConnectorTables>;

const migrations = [keyvMigration, ...connectorMigrations];

export async function openSqlite(failpoints: Failpoints = noFailpoints): Promise<ConnectorStore> {
	const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-connector-"));
	const file = join(directory, "connector.sqlite");
	return openSqliteStore<ConnectorTables>({ file, migrations, failpoints });
}

export const engines: readonly [string, () => Promise<ConnectorStore>][] = [
	["SQLite", openSqlite],
	["PostgreSQL", () => openPgliteStore<ConnectorTables>({ migrations })],
];

const quietTicks = 4;

/** A store that can wait until no call is pending. */
export class WatchedStore implements ConnectorStore {
	readonly engine: ConnectorStore["engine"];
	readonly #store: ConnectorStore;
	/** Number of next commits that must fail, as on a full disk. */
	refusals = 0;
	#inFlight = 0;

	constructor(store: ConnectorStore) {
		this.#store = store;
		this.engine = store.engine;
	}

	commit: ConnectorStore["commit"] = (command) =>
		this.#watch(() => {
			if (this.refusals === 0) return this.#store.commit(command);
			this.refusals -= 1;
			return Promise.reject(new Error("the disk is full"));
		});

	read: ConnectorStore["read"] = (query) => this.#watch(() => this.#store.read(query));

	health(): ReturnType<ConnectorStore["health"]> {
		return this.#store.health();
	}

	close(): Promise<void> {
		return this.#store.close();
	}

	/** Resolves when no call has been pending for several turns of the event loop. */
	async quiet(): Promise<void> {
		for (let still = 0; still < quietTicks; still++) {
			await tick();
			if (this.#inFlight > 0) still = 0;
		}
	}

	async #watch<T>(work: () => Promise<T>): Promise<T> {
		this.#inFlight += 1;
		try {
			return await work();
		} finally {
			this.#inFlight -= 1;
		}
	}
}
