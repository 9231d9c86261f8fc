import type { Tx } from "../../store/journal.ts";
import type { Compaction } from "./view.ts";

/** A recorded compaction; `at` is in milliseconds since the epoch. */
export interface PastCompaction extends Compaction {
	readonly at: number;
}

export async function readCompactions(db: Tx, sessionId: string): Promise<PastCompaction[]> {
	const rows = await db
		.selectFrom("compactions")
		.select(["level", "run_ordinal", "message", "summary", "at"])
		.where("session_id", "=", sessionId)
		.orderBy("n")
		.execute();
	return rows.map(({ level, run_ordinal, message, summary, at }) => ({
		level,
		text: summary,
		at: Number(at),
		before: { run: Number(run_ordinal), message: Number(message) },
	}));
}
