import { PGlite } from "@electric-sql/pglite";
import { PGliteDialect } from "kysely";
import type { Failpoints } from "../failpoints.ts";
import type { Migration, Store } from "../store/store.ts";
import { openDialectStore } from "./dialect-store.ts";

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
	// Each driver of the dialect goes through PGlite, which holds back what does not belong to the transaction.
	const dialect = new PGliteDialect({ pglite: await openDatabase() });
	return openDialectStore<DB>({ ...options, writer: dialect, reader: dialect });
}

let empty: Promise<Blob> | undefined;

/** An empty database: made once in this process, which takes seconds, and copied from then on. */
async function openDatabase(): Promise<PGlite> {
	empty ??= makeEmpty();
	return PGlite.create({ loadDataDir: await empty });
}

async function makeEmpty(): Promise<Blob> {
	const first = await PGlite.create();
	const files = await first.dumpDataDir("none");
	await first.close();
	return files;
}
