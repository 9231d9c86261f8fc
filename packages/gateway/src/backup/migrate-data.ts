import { openSqliteStore } from "@parley/base";
import { freshSchema, migrations } from "@parley/core";
import { databaseIn, prepareDataDirectory } from "../data-directory/data-directory.ts";
import { lockDataDirectory } from "../data-directory/data-lock.ts";
import { finishRestore } from "./place-restored.ts";

/**
 * Migrates the database of a data directory in the same way as a gateway does at its start, but starts no gateway.
 * First completes an interrupted restore. Rejects with `failed_precondition` if a gateway is running on the
 * directory, or if a newer version of Parley has written the database. A failed migration leaves the database
 * unchanged.
 */
export async function migrateData(dataDirectory: string): Promise<void> {
	await prepareDataDirectory(dataDirectory);
	const lock = lockDataDirectory(dataDirectory);
	try {
		await finishRestore(dataDirectory);
		const file = databaseIn(dataDirectory);
		await (await openSqliteStore({ file, migrations, fresh: freshSchema })).close();
	} finally {
		lock.release();
	}
}
