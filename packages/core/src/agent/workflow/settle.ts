import { endTask } from "../../conversation/tasks/end-task.ts";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import type { Run, Writing } from "../run/run.ts";
import { workflowsIn } from "./progress.ts";
import { WorkflowRecord } from "./record.ts";

/**
 * Ends the open workflows of a run that stops, with the tasks of their open steps, in the transaction at hand. Returns the
 * ids of the tasks that ended: what works on them is to be stopped when the transaction is durable.
 */
export async function settleWorkflows(run: Run, writing: Writing, error: string): Promise<readonly string[]> {
	const open = workflowsIn(run.steps).filter(({ end }) => end === undefined);
	const ended: string[] = [];
	const record = new WorkflowRecord(run, writing);
	for (const progress of open) {
		for (const step of progress.open) {
			const taskId = progress.lastTry(step.id)?.taskId ?? "";
			const row = await findTask(writing.tx, taskId);
			const now = run.deps.clock.now();
			const deps = { tx: writing.tx, now, tell: writing.record };
			if (row)
				ended.push(...(await endTask(deps, row, { state: "cancelled", reason: "the workflow ended" })));
			const nothing = { output: "", reason: "", willRetry: false, tokens: 0, cost: 0 };
			await record.finish(progress, step, { ...nothing, error: "cancelled" });
		}
		await record.end(progress, { output: "", error });
	}
	return ended;
}
