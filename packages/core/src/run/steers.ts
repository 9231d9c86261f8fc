import type { Tx } from "../journal/journal.ts";
import type { Run } from "./run.ts";

/** Takes what was said to a run since its last model call, in order: from now on it belongs to the caller. */
export async function takeSteers(tx: Tx, runId: string): Promise<string[]> {
	const rows = await tx
		.deleteFrom("steers")
		.where("run_id", "=", runId)
		.returning(["ordinal", "content"])
		.execute();
	return rows.sort((a, b) => a.ordinal - b.ordinal).map(({ content }) => content);
}

/** Lets what was said to the run since its last model call enter it now; whether there was something. */
export async function enterSteers(run: Run): Promise<boolean> {
	const waiting = await run.session.deps.journal.store.read((db) =>
		db.selectFrom("steers").select("id").where("run_id", "=", run.id).limit(1).execute(),
	);
	if (waiting.length === 0) return false;
	await run.commit(async (tx, _record, step) => {
		for (const content of await takeSteers(tx, run.id)) await step({ kind: "steered", content });
	});
	return true;
}
