import type { ModelTable } from "../../models/table/model-table.ts";
import { withinContextBudget } from "../../text/context-budget.ts";
import type { Run } from "../run/run.ts";
import { limitsOf } from "../run/settings.ts";

/** Maximum bytes of read messages for each token of the window: with 4 bytes per token, a quarter of the window. */
const bytesPerToken = 1;

/**
 * Leaves out the oldest read messages of a run if they need more than a quarter of the window of its model. Otherwise
 * the request itself could fail.
 */
export async function fitContext(run: Run, { table }: { readonly table: ModelTable }): Promise<void> {
	const { context } = run.row;
	if (context === undefined) return;
	const { names } = run.settings;
	const { contextWindow } = limitsOf(run.settings, names[0], table);
	const { chosen, isShort } = withinContextBudget(context.messages, contextWindow * bytesPerToken);
	if (!isShort) return;
	const fitting = { ...context, messages: chosen, hasOlder: true };
	await run.commit(async ({ tx }) => {
		const stored = JSON.stringify(fitting);
		await tx.updateTable("runs").set({ context: stored }).where("id", "=", run.id).execute();
	});
	run.row = { ...run.row, context: fitting };
}
