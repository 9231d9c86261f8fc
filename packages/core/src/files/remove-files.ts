import type { Tx } from "../store/journal.ts";

/**
 * Forgets the files of a session, as a part of its removal. Returns their ids: what they held is removed with
 * `Files.unlink` once the removal is durable, and by the next sweep where that never happens.
 */
export async function removeFilesOf(tx: Tx, sessionId: string): Promise<string[]> {
	const rows = await tx.deleteFrom("files").where("session_id", "=", sessionId).returning("id").execute();
	return rows.map(({ id }) => id);
}
