import { fromRow, type Tx } from "../journal/journal.ts";
import { takeSaid } from "../journal/statements.ts";
import type { Person } from "../principal.ts";
import type { Run } from "./run.ts";
import type { Step } from "./step.ts";

/** Takes what was said to a run since its last model call, in order: from now on it belongs to the caller. */
export async function takeSteers(tx: Tx, runId: string): Promise<Extract<Step, { kind: "steered" }>[]> {
	const rows = await takeSaid(tx, { runId });
	return rows
		.sort((a, b) => a.ordinal - b.ordinal)
		.map(({ content, actor }) => ({
			kind: "steered",
			content,
			...(actor !== null && { actor: fromRow<Person>(actor) }),
		}));
}

/** Lets what was said to the run since its last model call enter it now; whether there was something. */
export async function enterSteers(run: Run): Promise<boolean> {
	const waiting = await run.session.deps.journal.store.read((db) =>
		db.selectFrom("steers").select("id").where("run_id", "=", run.id).limit(1).execute(),
	);
	if (waiting.length === 0) return false;
	await run.commit(async ({ tx, step }) => {
		for (const steered of await takeSteers(tx, run.id)) await step(steered);
	});
	return true;
}
