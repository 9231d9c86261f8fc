import { defined } from "@parley/base";
import type { Tx } from "../../store/journal.ts";
import { noteStop } from "../../store/statements.ts";
import { isStep, planOf, type TaskRow } from "../../store/task-rows.ts";
import { shorten } from "../../text/visible.ts";
import { sessionTotal } from "../../usage/ledger.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import { endStates, progressOf } from "../../vocabulary/task.ts";
import { findTask } from "./read-tasks.ts";
import { taskStateTexts } from "./texts.ts";

/**
 * Maximum characters of the output in the end event. `maxStoredOutput`: maximum characters in the row of the task. The
 * session of the task contains the complete output.
 */
const maxOutput = 2_000;
const maxStoredOutput = 64_000;

export type TaskEnd =
	| { readonly state: "completed"; readonly output: string }
	| { readonly state: "failed"; readonly error: string; readonly output?: string }
	| {
			readonly state: "cancelled";
			readonly reason: string;
			/** Principal that cancelled this task. */
			readonly by?: string;
			/**
			 * Principal that caused the end indirectly: stopped the run of this task, ended the parent task, or stopped the
			 * run of the task's workflow.
			 */
			readonly stoppedBy?: string;
	  };

export interface EndDeps {
	readonly tx: Tx;
	/** Current time in milliseconds since the epoch. */
	readonly now: number;
	/** Records events in the session that owns the task. `worker` events are recorded in the conversation of `ownTask`. */
	readonly record: (...events: RecordedEvent[]) => Promise<unknown>;
	/** Id of the caller's own task. The run of this task ends in the same transaction. */
	readonly ownTask?: string;
}

/**
 * Ends a task with all consequences:
 *
 * - Its workers are cancelled.
 * - Dependent tasks fail, unless the task completed.
 * - A waiting parent task becomes claimable.
 *
 * Open runs of the ended tasks end later: in the process that has claimed the task, or after `claimEnded`. Returns the
 * ids of all ended tasks, or an empty list if the task had already ended.
 */
export async function endTask(deps: EndDeps, row: TaskRow, end: TaskEnd): Promise<string[]> {
	const { tx, now, record, ownTask } = deps;
	const output = end.state === "cancelled" ? row.output : shorten(end.output ?? row.output, maxStoredOutput);
	const error = end.state === "completed" ? "" : end.state === "failed" ? end.error : end.reason;
	const ended = await tx
		.updateTable("tasks")
		.set({
			state: end.state,
			output,
			error,
			ended_at: now,
			updated_at: now,
			// The process that works on the task keeps its lease, so that it has time to stop.
			...defined({ lease_until: row.state !== "running" ? 0 : undefined }),
		})
		.where("id", "=", row.id)
		.where("state", "not in", endStates)
		.executeTakeFirst();
	if (ended.numUpdatedRows === 0n) return [];
	const stoppedBy = end.state === "cancelled" ? (end.by ?? end.stoppedBy) : undefined;
	// The run of the task ends after this transaction, perhaps in another process, so the principal is stored.
	if (stoppedBy !== undefined) await noteStop(tx, { sessionId: row.own_session_id, by: stoppedBy });
	const workers = await endWorkers(deps, row, stoppedBy);
	await record(...(await endEvents(deps, row, end)));
	if (row.id === ownTask) await record(...workerEnd(row.id, end.state === "completed" ? end : { error }));
	await wakeParent(tx, row, now);
	const failed = end.state === "completed" ? [] : await failDependents(deps, row, end.state, error);
	return [row.id, ...workers, ...failed];
}

async function endEvents({ tx, now }: EndDeps, row: TaskRow, end: TaskEnd): Promise<RecordedEvent[]> {
	const { id: taskId, title, retry_count: retryCount } = row;
	// A step of a workflow has a `skill.step.completed` event instead of a task event.
	if (isStep(row)) return [];
	const usage = await sessionTotal(tx, row.own_session_id);
	if (end.state === "cancelled") {
		const { reason, by } = end;
		return [{ type: "task.cancelled", taskId, reason, ...defined({ by }), usage }];
	}
	if (end.state === "failed") {
		return [{ type: "task.failed", taskId, title, error: end.error, retryCount, willRetry: false, usage }];
	}
	const plan = planOf((await findTask(tx, taskId)) ?? row);
	const durationMs = now - Number(row.started_at ?? now);
	const summary = summaryOf(end.output);
	const done = { type: "task.completed" as const, taskId, title, summary, durationMs, usage };
	// A task with a plan keeps the state of its steps.
	if (plan) return [done];
	return [{ type: "task.progress", taskId, progress: progressOf(title, plan, true), usage }, done];
}

export function workerEnd(
	taskId: string,
	end: { readonly output: string } | { readonly error: string },
): RecordedEvent[] {
	const last: RecordedEvent =
		"output" in end
			? { type: "worker.completed", taskId, summary: summaryOf(end.output) }
			: { type: "worker.failed", taskId, error: end.error };
	return [last, { type: "worker.exited", taskId }];
}

function summaryOf(output: string): string {
	return shorten(output, maxOutput);
}

async function endWorkers(deps: EndDeps, row: TaskRow, stoppedBy: string | undefined): Promise<string[]> {
	const workers = await deps.tx
		.selectFrom("tasks")
		.selectAll()
		.where("parent_id", "=", row.id)
		.where("state", "not in", endStates)
		.execute();
	const end = { state: "cancelled", reason: taskStateTexts.parentEnded, ...defined({ stoppedBy }) } as const;
	const ended: string[] = [];
	for (const worker of workers) ended.push(...(await endTask(deps, worker, end)));
	return ended;
}

/**
 * Makes a waiting parent task pending. Always writes the row, so that a parent that is about to wait sees a
 * change.
 */
async function wakeParent(tx: Tx, { parent_id }: TaskRow, now: number): Promise<void> {
	if (parent_id === null) return;
	await tx
		.updateTable("tasks")
		.set((eb) => ({
			state: eb
				.case()
				.when("state", "=", "waiting")
				.then("pending" as const)
				.else(eb.ref("state"))
				.end(),
			not_before: eb.case().when("state", "=", "waiting").then(0).else(eb.ref("not_before")).end(),
			updated_at: now,
		}))
		.where("id", "=", parent_id)
		.execute();
}

async function failDependents(
	deps: EndDeps,
	{ id, title }: TaskRow,
	state: "failed" | "cancelled",
	reason: string,
): Promise<string[]> {
	const rows = await deps.tx
		.selectFrom("tasks")
		.innerJoin("task_needs", "task_needs.task_id", "tasks.id")
		.selectAll("tasks")
		.where("task_needs.needs", "=", id)
		.where("tasks.state", "not in", endStates)
		.execute();
	const ended: string[] = [];
	const ending = state === "failed" ? taskStateTexts.failed : taskStateTexts.cancelled;
	for (const row of rows) {
		const error = taskStateTexts.needs({ id, title, ending, reason });
		ended.push(...(await endTask(deps, row, { state: "failed", error })));
	}
	return ended;
}
