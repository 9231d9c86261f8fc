import { openSqliteStore } from "@parley/base";
import { freshSchema, migrations } from "@parley/core";
import { databaseIn, prepareDataDirectory } from "../data-directory/data-directory.ts";
import { lockDataDirectory } from "../data-directory/data-lock.ts";
import { finishRestore } from "./place-restored.ts";

/**
 * Migrates the database of a data directory without a gateway, in the same way as the start of a gateway. Rejects
 * with `failed_precondition` if a gateway is running on the directory, or if a newer version has written the
 * database. A failed migration leaves the database unchanged.
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
