import type { Tx } from "../journal/journal.ts";

/** Takes what was said to a run since its last model call, in order: from now on it belongs to the caller. */
export async function takeSteers(tx: Tx, runId: string): Promise<string[]> {
	const rows = await tx
		.deleteFrom("steers")
		.where("run_id", "=", runId)
		.returning(["ordinal", "content"])
		.execute();
	return rows.sort((a, b) => a.ordinal - b.ordinal).map(({ content }) => content);
}
