import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
// biome-ignore lint/plugin/sqlite-home: the database is only a lock and contains no data
import { DatabaseSync } from "node:sqlite";
import { type Clock, ParleyError } from "@parley/base";
import { dataDirectoryTexts } from "../texts/data-directory.ts";
import { isBusy } from "./data-lock.ts";

/** Milliseconds between two attempts. */
const pauseMs = 50;
const longestWaitMs = 60_000;

/**
 * Resolves with the result of `work`. `work` runs while no other process and no other call has the lock at `path`.
 * The lock is released when the process ends, even after a kill. Rejects with `unavailable` if the lock is still in
 * use after a minute.
 */
export async function withFileLock<T>(path: string, clock: Clock, work: () => Promise<T>): Promise<T> {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const database = new DatabaseSync(path, { timeout: 0 });
	try {
		await lock(database, path, clock);
		return await work();
	} finally {
		database.close();
	}
}

async function lock(database: DatabaseSync, path: string, clock: Clock): Promise<void> {
	const start = clock.monotonic();
	for (;;) {
		try {
			database.exec("BEGIN EXCLUSIVE");
			return;
		} catch (cause) {
			if (!isBusy(cause)) throw cause;
			if (clock.monotonic() - start > longestWaitMs)
				throw new ParleyError(dataDirectoryTexts.locked({ path }), { code: "unavailable", cause });
		}
		const later = Promise.withResolvers<void>();
		clock.after(pauseMs, later.resolve);
		await later.promise;
	}
}
