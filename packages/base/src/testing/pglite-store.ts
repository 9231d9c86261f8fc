import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { PGliteDialect, type PGliteDialectConfig } from "kysely";
import type { Failpoints } from "../failpoints.ts";
import type { Migration, Store } from "../store/store.ts";
import { openDialectStore } from "./dialect-store.ts";

/** Interface of a PGlite database that Kysely's dialect requires. */
type PGliteOfKysely = Exclude<PGliteDialectConfig["pglite"], (...args: never) => unknown>;

export interface PgliteStoreOptions {
	readonly migrations: readonly Migration[];
	readonly failpoints?: Failpoints;
}

/**
 * Opens a store in an in-memory PostgreSQL in this process. The PostgreSQL has one connection, so a read waits until
 * the running transaction has ended.
 */
export async function openPgliteStore<DB>(options: PgliteStoreOptions): Promise<Store<DB>> {
	// All drivers of the dialect share one PGlite, which runs no other statement during a transaction.
	const dialect = new PGliteDialect({ pglite: shareDatabase(idle.pop() ?? (await openDatabase())) });
	return openDialectStore<DB>({ ...options, writer: dialect, reader: dialect });
}

/** Empty databases in this process, for further stores. To empty a database is faster than to open another database. */
const idle: PGlite[] = [];

/** Returns a view of `database`. Closing the view empties the database for the next store. */
function shareDatabase(database: PGlite): PGliteOfKysely {
	const shared = {
		closed: false,
		ready: database.ready,
		waitReady: database.waitReady,
		query: database.query.bind(database),
		transaction: database.transaction.bind(database) as PGliteOfKysely["transaction"],
		close: async () => {
			shared.closed = true;
			await database.exec("drop schema public cascade; create schema public");
			await database.exec("discard all");
			idle.push(database);
		},
	};
	return shared;
}

let empty: Promise<Blob> | undefined;

async function openDatabase(): Promise<PGlite> {
	empty ??= loadEmpty();
	return PGlite.create({ loadDataDir: await empty });
}

/** Path of the installed PGlite. The path contains the version, so each version has a separate cache file. */
const installed = createRequire(import.meta.url).resolve("@electric-sql/pglite");
const version = createHash("sha256").update(installed).digest("hex").slice(0, 16);
const cache = fileURLToPath(new URL("../../../../node_modules/.cache/parley", import.meta.url));

async function loadEmpty(): Promise<Blob> {
	const file = join(cache, `pglite-${version}.tar`);
	// Creating the files takes seconds of CPU time, so all processes and later runs share one copy.
	if (!existsSync(file)) {
		const database = await PGlite.create();
		const files = await database.dumpDataDir("none");
		idle.push(database);
		await mkdir(cache, { recursive: true });
		// Another process may be reading the file, so a renamed copy replaces it.
		await writeFile(`${file}.${process.pid}`, await files.bytes());
		await rename(`${file}.${process.pid}`, file);
		return files;
	}
	return new Blob([await readFile(file)]);
}
