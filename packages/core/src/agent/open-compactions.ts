import { type Logger, ParleyError } from "@parley/base";
import type { Sessions } from "../conversation/sessions.ts";
import type { Journal, Tx } from "../store/journal.ts";
import { stamp } from "../store/tables.ts";
import { compactionTexts } from "./texts.ts";

/** Principal of the rows in `keys` that record open compactions. No client has this name. */
const principal = "gateway/compaction";

/**
 * Records that a compaction of the session has started. After a crash, the next start of the gateway can then record
 * the end of the compaction.
 */
export async function noteCompaction(tx: Tx, sessionId: string, now: number): Promise<void> {
	await forgetCompaction(tx, sessionId);
	await tx
		.insertInto("keys")
		.values({ principal, key: sessionId, request: "", response: "null", created_at: now, ...stamp })
		.execute();
}

/** Removes the record of an open compaction. Must run in the transaction that records the end of the compaction. */
export async function forgetCompaction(tx: Tx, sessionId: string): Promise<void> {
	await tx.deleteFrom("keys").where("principal", "=", principal).where("key", "=", sessionId).execute();
}

interface EndPorts {
	readonly journal: Journal;
	readonly log: Logger;
}

/** Records the end of each compaction that a crash of the gateway interrupted. */
export async function endInterruptedCompactions(
	{ journal: { store }, log }: EndPorts,
	sessions: Sessions,
): Promise<void> {
	const open = await store.read((db) =>
		db.selectFrom("keys").select("key").where("principal", "=", principal).execute(),
	);
	for (const { key: sessionId } of open) {
		try {
			await endInterrupted(sessionId, sessions);
		} catch (error) {
			// The end of a compaction cannot be recorded in a deleted session, so only the record in `keys` is removed.
			if (ParleyError.from(error).code === "not_found") {
				await store.commit((tx) => forgetCompaction(tx, sessionId));
			} else log.error(compactionTexts.notRecorded, { sessionId, error });
		}
	}
}

async function endInterrupted(sessionId: string, sessions: Sessions): Promise<void> {
	using lease = await sessions.leaseOwn(sessionId);
	await lease.session.commit(async (tx, record) => {
		const unchanged = { tokensBefore: 0, tokensAfter: 0 };
		await record({ type: "compaction.ended", status: "cancelled", ...unchanged, error: "" });
		await forgetCompaction(tx, sessionId);
	});
}
