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

/** The part of a database that Kysely uses. */
type PGliteOfKysely = Exclude<PGliteDialectConfig["pglite"], (...args: never) => unknown>;

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
	const dialect = new PGliteDialect({ pglite: lend(idle.pop() ?? (await openDatabase())) });
	return openDialectStore<DB>({ ...options, writer: dialect, reader: dialect });
}

/** Empty databases of this process. To empty a database takes a tenth of the time that another one needs to open. */
const idle: PGlite[] = [];

/** A database for one store. Closing it empties the database and keeps it for the next store. */
function lend(database: PGlite): PGliteOfKysely {
	const lent = {
		closed: false,
		ready: database.ready,
		waitReady: database.waitReady,
		query: database.query.bind(database),
		transaction: database.transaction.bind(database) as PGliteOfKysely["transaction"],
		close: async () => {
			lent.closed = true;
			await database.exec("drop schema public cascade; create schema public");
			await database.exec("discard all");
			idle.push(database);
		},
	};
	return lent;
}

let empty: Promise<Blob> | undefined;

async function openDatabase(): Promise<PGlite> {
	empty ??= loadEmpty();
	return PGlite.create({ loadDataDir: await empty });
}

/** The path of the installed package has its version: another version makes a file of its own. */
const installed = createRequire(import.meta.url).resolve("@electric-sql/pglite");
const version = createHash("sha256").update(installed).digest("hex").slice(0, 16);
const cache = fileURLToPath(new URL("../../../../node_modules/.cache/parley", import.meta.url));

/** The files of an empty database. To make them takes seconds of CPU, so all processes and later runs share one copy. */
async function loadEmpty(): Promise<Blob> {
	const file = join(cache, `pglite-${version}.tar`);
	if (!existsSync(file)) {
		const database = await PGlite.create();
		const files = await database.dumpDataDir("none");
		idle.push(database);
		await mkdir(cache, { recursive: true });
		// Another process may read the file meanwhile.
		await writeFile(`${file}.${process.pid}`, await files.bytes());
		await rename(`${file}.${process.pid}`, file);
		return files;
	}
	return new Blob([await readFile(file)]);
}
