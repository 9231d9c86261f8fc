import * as z from "zod";
import { Plan, TaskProgress } from "./task-payloads.ts";
import { Usage } from "./usage-report.ts";

const task = { task_id: z.string() };
const titled = { ...task, title: z.string() };
const count = z.int().min(0);
/** Usage of the task so far, including the usage of its workers. Absent in events of earlier gateway versions. */
const used = { usage: z.exactOptional(Usage) };

/**
 * Events about tasks. The events are in the session that owns the task. Events of workers are in the workers' own
 * conversations.
 */
export const taskPayloads = {
	/**
	 * A task was created. `parent_id` is the parent task of a worker, otherwise empty. `by` is the principal that
	 * submitted the task. `by` is absent for workers, and in events of earlier gateway versions.
	 */
	"task.created": z.object({
		...titled,
		description: z.string(),
		parent_id: z.string(),
		by: z.exactOptional(z.string()),
	}),
	"task.started": z.object(titled),
	/** Progress of a task. `plan` is absent for a task without a plan, and in events of earlier gateway versions. */
	"task.progress": TaskProgress.extend({ ...task, plan: z.exactOptional(Plan), ...used }),
	/** Task list of a run, with the progress of the list. The list replaces the previous list of the run. */
	"todo.updated": TaskProgress.extend({ run_id: z.string(), call_id: z.string(), plan: Plan }),
	/** The task waits for `reply_task`. */
	"task.suspended": z.object({
		...titled,
		reason: z.string(),
		/** Number of times that the task was suspended, including this suspension. */
		suspend_count: z.int().min(1),
		/** The plan that the task wants to be reviewed, or the question. */
		plan_content: z.string(),
		token: z.string(),
		...used,
	}),
	"task.resumed": z.object(titled),
	/** The task is complete. `duration` is in nanoseconds, from the first start to the end. */
	"task.completed": z.object({
		...titled,
		output_summary: z.string(),
		duration: count,
		tokens_input: count,
		tokens_output: count,
		...used,
	}),
	/** An attempt of the task failed. With `will_retry`, `task.started` follows. Otherwise the task has ended. */
	"task.failed": z.object({
		...titled,
		error: z.string(),
		retry_count: count,
		will_retry: z.boolean(),
		...used,
	}),
	/**
	 * The task was cancelled. `reason` explains the cancellation. `by` is the person or client that cancelled the task,
	 * and is absent otherwise.
	 */
	"task.cancelled": z.object({ ...task, reason: z.string(), by: z.exactOptional(z.string()), ...used }),
	/**
	 * Events of a task's worker. The first event is `started`. The last two events are `completed` or `failed`, and then
	 * `exited`.
	 */
	"internal.worker": z.discriminatedUnion("event", [
		z.object({ ...titled, event: z.literal("started"), parent_id: z.string(), agent: z.string() }),
		z.object({ ...task, event: z.literal("phase"), phase: z.enum(["thinking", "acting", "waiting"]) }),
		z.object({ ...task, event: z.literal("completed"), output_summary: z.string() }),
		z.object({ ...task, event: z.literal("failed"), error: z.string() }),
		z.object({ ...task, event: z.literal("exited") }),
	]),
};

export type TaskEventPayloads = {
	readonly [Name in keyof typeof taskPayloads]: Readonly<z.output<(typeof taskPayloads)[Name]>>;
};
