import * as z from "zod";
import { Usage } from "./usage-report.ts";

const count = z.int().min(0);
/** RFC 3339. */
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

/** `percentage` is that of the steps that are completed. */
export const TaskProgress = z.object({
	/** Steps that are completed. */
	current_step: count,
	total_steps: count,
	/** The step at work. */
	current_step_label: z.string(),
	percentage: count.max(100),
});

/** The steps of a task or a run, all in their order. */
export const Plan = z.array(
	z.object({ title: z.string(), status: z.enum(["pending", "in_progress", "completed", "skipped"]) }),
);
export type Plan = Readonly<z.output<typeof Plan>>;

/** What a task waits for, until `reply_task` says something to it. */
const Suspension = z.object({
	reason: z.string(),
	/** The plan or the question. */
	plan_content: z.string(),
	/** Names this very question. Not there for who may not answer it. */
	token: z.exactOptional(z.string()),
});

/** A task: what was wanted, how far it is, what came of it. */
export const TaskPayload = z.object({
	id: z.string(),
	title: z.string(),
	status: z.enum(taskStatuses),
	progress: TaskProgress,
	description: z.string(),
	/** The session that owns it. */
	session_id: z.string(),
	/** What it said and did is told by `load_messages` with this as its `session_id`. */
	conversation: z.string(),
	/** The task that it is a worker of; empty for none. */
	parent_id: z.string(),
	/** The task that was submitted once more with this one. */
	retry_of: z.exactOptional(z.string()),
	priority: z.enum(taskPriorities),
	tools: z.array(z.string()),
	agent: z.string(),
	/** Absent where its agent and the gateway decide. */
	model: z.exactOptional(z.string()),
	autonomy: z.enum(autonomies),
	depends_on: z.array(z.string()),
	/** Who submitted it. */
	owner: z.string(),
	/** The plan that it keeps, where it keeps one. */
	plan: z.exactOptional(Plan),
	/** While it is suspended. */
	suspension: z.exactOptional(Suspension),
	suspend_count: count,
	retry_count: count,
	output: z.string(),
	/** Why it failed or was cancelled. */
	error: z.string(),
	created_at: time,
	updated_at: time,
	started_at: z.exactOptional(time),
	/** When it ended, however it did. */
	completed_at: z.exactOptional(time),
	usage: Usage,
});
export type TaskPayload = Readonly<z.output<typeof TaskPayload>>;
