import { existsSync } from "node:fs";
import { readMigrationNames, readSqliteFile } from "@parley/base";
import { checkTexts, type Tables } from "@parley/core";
import { databaseIn } from "@parley/gateway/data";
import type { MessagesCheck } from "./check-rows.ts";

interface CheckOptions {
	/** Called after each session. */
	readonly onProgress: (doing: string) => void;
	/** Ends the check early: it resolves with what was found until then. */
	readonly signal?: AbortSignal;
}

/** Sessions from one line of progress to the next. */
const shownEvery = 50;
const hashMigration = "0007-hashed-from";

/**
 * Checks the stored text of all sessions in the database of a data directory, also beside a running gateway. Resolves
 * with undefined if there is no database, or if no gateway of this version has started on it.
 */
export async function checkMessagesFile(
	data: string,
	{ onProgress, signal }: CheckOptions,
): Promise<MessagesCheck | undefined> {
	const file = databaseIn(data);
	if (!existsSync(file)) return undefined;
	return readSqliteFile<Tables, MessagesCheck | undefined>(file, async (db) => {
		if (!(await readMigrationNames(db)).includes(hashMigration)) return undefined;
		const { allSessions, examples, ...check } = await checkTexts(
			{ read: (query) => query(db) },
			{
				onProgress: (checked, all) => {
					if (checked % shownEvery === 0) onProgress(`checked the messages of ${checked} of ${all} sessions`);
				},
				...(signal && { signal }),
			},
		);
		return {
			...check,
			all_sessions: allSessions,
			examples: examples.map(({ sessionId, ...example }) => ({ session_id: sessionId, ...example })),
		};
	});
}
