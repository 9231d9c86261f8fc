import * as z from "zod";
import { Usage } from "./usage-report.ts";

const count = z.int().min(0);
/** Time in the format of RFC 3339. */
const time = z.string();

export const taskStatuses = [
	"pending" as const,
	"running" as const,
	"suspended" as const,
	"completed" as const,
	"failed" as const,
	"cancelled" as const,
];
export const taskPriorities = ["low", "normal", "high"] as const;
export const autonomies = ["supervised", "autonomous"] as const;

/** Progress of a task. `percentage` is the share of completed steps. */
export const TaskProgress = z.object({
	/** Number of completed steps. */
	current_step: count,
	total_steps: count,
	/** Title of the active step, if any. */
	current_step_label: z.string(),
	percentage: count.max(100),
});

/** All steps of a task or a run, in order. */
export const Plan = z.array(
	z.object({
		title: z.string(),
		status: z.enum(["pending", "in_progress", "completed", "skipped"]),
		/** Duration in nanoseconds of an ended step, if the step belongs to a workflow or a sub-agent. */
		duration: z.exactOptional(z.int().min(0)),
	}),
);
export type Plan = Readonly<z.output<typeof Plan>>;

/** The open question of a task. A client answers the question with `reply_task`. */
const Suspension = z.object({
	reason: z.string(),
	/** The plan or question. */
	plan_content: z.string(),
	/** Token of the question. Clients that may not answer receive a placeholder or no token. */
	token: z.exactOptional(z.string()),
});

/** A task: its request, its progress and its result. */
export const TaskPayload = z.object({
	id: z.string(),
	title: z.string(),
	status: z.enum(taskStatuses),
	progress: TaskProgress,
	description: z.string(),
	/** The session that owns the task. */
	session_id: z.string(),
	/** Session id of the task's conversation, for `load_messages`. */
	conversation: z.string(),
	/** Parent task of a worker. Empty without a parent task. */
	parent_id: z.string(),
	/** The ended task that this task repeats. */
	retry_of: z.exactOptional(z.string()),
	priority: z.enum(taskPriorities),
	tools: z.array(z.string()),
	agent: z.string(),
	/** Model of the task. Absent if the task's agent or the gateway determines the model. */
	model: z.exactOptional(z.string()),
	autonomy: z.enum(autonomies),
	depends_on: z.array(z.string()),
	/** Person or client that submitted the task. */
	owner: z.string(),
	/** Plan of the task. Absent if the task has no plan, and in lists of tasks. */
	plan: z.exactOptional(Plan),
	/** The open question. Present while the task is suspended. */
	suspension: z.exactOptional(Suspension),
	suspend_count: count,
	retry_count: count,
	output: z.string(),
	/** Reason for a failure or cancellation, otherwise empty. */
	error: z.string(),
	created_at: time,
	updated_at: time,
	started_at: z.exactOptional(time),
	/** End time. Absent while the task has not ended. */
	completed_at: z.exactOptional(time),
	usage: Usage,
});
export type TaskPayload = Readonly<z.output<typeof TaskPayload>>;
