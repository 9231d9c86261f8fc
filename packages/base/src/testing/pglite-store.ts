import { PGlite } from "@electric-sql/pglite";
import { CompiledQuery, Kysely, PGliteDialect } from "kysely";
import { systemClock } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import { type Failpoints, noFailpoints } from "../failpoints.ts";
import { boundKysely } from "../store/bound-kysely.ts";
import { GroupCommit, type TransactionControl } from "../store/group-commit.ts";
import { findPending, migrate } from "../store/migrate.ts";
import { StorageHealth } from "../store/storage-health.ts";
import type { Migration, Store } from "../store/store.ts";

/** What a PGlite store is made of. */
export interface PgliteStoreOptions {
	readonly migrations: readonly Migration[];
	readonly failpoints?: Failpoints;
}

/**
 * A store in a PostgreSQL that runs inside the process and forgets everything when it is closed. It has a single
 * connection: reads wait for the end of the transaction that is running.
 */
export async function openPgliteStore<DB>(options: PgliteStoreOptions): Promise<Store<DB>> {
	const pglite = await PGlite.create();
	const dialect = new PGliteDialect({ pglite });
	const migrator = new Kysely<unknown>({ dialect });
	const schema = { db: migrator, engine: "postgres", migrations: options.migrations } as const;
	if ((await findPending(schema)) !== undefined) await migrate(schema);

	const driver = dialect.createDriver();
	await driver.init();
	const connection = await driver.acquireConnection();
	const run = async (text: string): Promise<void> => {
		await connection.executeQuery(CompiledQuery.raw(text));
	};
	const control: TransactionControl = {
		// Through the driver, which makes PGlite hold back everything that does not belong to the transaction.
		begin: () => driver.beginTransaction(connection, {}),
		commit: () => driver.commitTransaction(connection),
		rollback: () => driver.rollbackTransaction(connection),
		savepoint: () => run("savepoint command"),
		releaseSavepoint: () => run("release savepoint command"),
		rollbackToSavepoint: () => run("rollback to savepoint command"),
	};
	const tx = boundKysely<DB>(dialect, connection);
	const failpoints = options.failpoints ?? noFailpoints;
	const commits = new GroupCommit({ tx, control, failpoints, health: new StorageHealth(systemClock) });

	const readerDriver = dialect.createDriver();
	await readerDriver.init();
	const db = boundKysely<DB>(dialect, await readerDriver.acquireConnection());
	return {
		engine: "postgres",
		commit: (command) => commits.commit(command),
		read: async (query) => {
			if (pglite.closed) throw new ParleyError("the store is closed", { code: "unavailable" });
			return query(db);
		},
		health: () => commits.health(),
		close: async () => {
			await commits.close();
			if (!pglite.closed) await pglite.close();
		},
	};
}
