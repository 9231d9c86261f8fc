import { isDeepStrictEqual } from "node:util";
import { newestTodo } from "../../conversation/newest-todo.ts";
import { type PlanStep, progressOf, type TaskProgress } from "../../vocabulary/task.ts";
import type { Run } from "../run/run.ts";

/** Records the list of a run, without secrets. An unchanged list, for example after a crash, is not recorded again. */
export function writeTodo(run: Run, callId: string, steps: readonly PlanStep[]): Promise<TaskProgress> {
	const { redactor, id, outlet } = run.session;
	const kept = steps.map((step) => ({ ...step, title: redactor.redact(step.title) }));
	return run.commit(async ({ tx, record }) => {
		const before = await newestTodo(tx, id, outlet.seq);
		if (before?.event.runId !== run.id || !isDeepStrictEqual(before.event.steps, kept)) {
			await record({ type: "todo.updated", runId: run.id, callId, steps: kept });
		}
		return progressOf("", kept, false);
	});
}
