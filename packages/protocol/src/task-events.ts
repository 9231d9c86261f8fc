import * as z from "zod";
import { Plan, TaskProgress } from "./task-payloads.ts";
import { Usage } from "./usage-report.ts";

const task = { task_id: z.string() };
const titled = { ...task, title: z.string() };
const count = z.int().min(0);
/** What it has used by then, its workers included. Not there where an earlier version of the gateway told it. */
const used = { usage: z.exactOptional(Usage) };

/** What happens to tasks, told in the session that owns them; and to those who work, in their own conversations. */
export const taskPayloads = {
	/** `parent_id` is the task that it is a worker of, or empty. */
	"task.created": z.object({ ...titled, description: z.string(), parent_id: z.string() }),
	"task.started": z.object(titled),
	/** `plan`: absent for a task without a plan, and from an earlier version of the gateway. */
	"task.progress": TaskProgress.extend({ ...task, plan: z.exactOptional(Plan), ...used }),
	/** The list of steps of a run, with its progress. The list replaces the previous list of the run. */
	"todo.updated": TaskProgress.extend({ run_id: z.string(), call_id: z.string(), plan: Plan }),
	/** Waits for `reply_task`. */
	"task.suspended": z.object({
		...titled,
		reason: z.string(),
		/** This time included. */
		suspend_count: z.int().min(1),
		/** The plan or the question. */
		plan_content: z.string(),
		token: z.string(),
		...used,
	}),
	"task.resumed": z.object(titled),
	/** `duration` is in nanoseconds, from the first start to the end. */
	"task.completed": z.object({
		...titled,
		output_summary: z.string(),
		duration: count,
		tokens_input: count,
		tokens_output: count,
		...used,
	}),
	/** The end, unless `will_retry`: then `task.started` follows. */
	"task.failed": z.object({
		...titled,
		error: z.string(),
		retry_count: count,
		will_retry: z.boolean(),
		...used,
	}),
	/** `reason` is in the words of whoever cancelled it; who that was says `by` alone, absent where nobody asked for it. */
	"task.cancelled": z.object({ ...task, reason: z.string(), by: z.exactOptional(z.string()), ...used }),
	/** The life of one who works on a task: `started` first, `exited` last, before it one of the other ends. */
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
