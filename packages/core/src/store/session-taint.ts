import type { Author } from "../vocabulary/event.ts";
import type { Principal } from "../vocabulary/principal.ts";
import { joinTaints, readTaint, type Taint } from "../vocabulary/taint.ts";
import type { Tx } from "./journal.ts";

export async function findTaint(db: Tx, sessionId: string): Promise<Taint> {
	const row = await db.selectFrom("sessions").select("taint").where("id", "=", sessionId).executeTakeFirst();
	return readTaint(row?.taint ?? "");
}

/**
 * Adds flags to the taint of a session permanently. `tx` must be the transaction that records the cause of the flags.
 */
export async function addTaint(tx: Tx, sessionId: string, added: Taint): Promise<void> {
	if (added === "") return;
	const before = await findTaint(tx, sessionId);
	const taint = joinTaints([before, added]);
	if (taint === before) return;
	await tx.updateTable("sessions").set({ taint }).where("id", "=", sessionId).execute();
}

/**
 * Returns the taint of a message: "" if the operator wrote the message, and otherwise "U" (untrusted). A message that
 * an agent sends for the operator is untrusted.
 */
export function taintOfMessage({ kind, through }: Principal, author: Author | undefined): Taint {
	return kind === "operator" && author === undefined && through === undefined ? "" : "U";
}
