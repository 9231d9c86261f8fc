import type { PromptRow } from "../conversation/prompt-rows.ts";
import type { Run } from "./run.ts";

/**
 * Cancels a run with `afterCrash: cancel` that needs a decision, if it was sent before a crash of the gateway: the client that
 * decides was lost. Throws then, because the run is stopped. `known` is the approval that the decision is about, if it was
 * raised before.
 */
export function stopIfAbandoned(
	{ id, row, session, control, log }: Run,
	known?: Pick<PromptRow, "state">,
): void {
	const isDecided = known !== undefined && known.state !== "open";
	if (isDecided || row.options.afterCrash !== "cancel" || session.attended.has(id)) return;
	log.warn(
		"cancelling a run that needs a decision: a crash of the gateway has broken the stream of its client",
	);
	control.cancel();
	control.signal.throwIfAborted();
}

/** Records that any client may decide about the calls of a parked run, unless a crash had taken its client before. */
export async function keepForOthers({ id, row, session }: Run): Promise<void> {
	if (!session.attended.has(id)) return;
	const { afterCrash: _afterCrash, ...options } = row.options;
	await session.commit((tx) =>
		tx
			.updateTable("runs")
			.set({ options: JSON.stringify(options) })
			.where("id", "=", id)
			.execute(),
	);
}
