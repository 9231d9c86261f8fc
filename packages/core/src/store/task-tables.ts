import type { TaskState } from "../vocabulary/task.ts";
import type { Stamped } from "./stamped.ts";

/** One task. `epoch` counts its claims: a process with another number has lost the task. */
interface TasksTable extends Stamped {
	id: string;
	/** Session that owns the task. Its people see the task and get its questions. */
	session_id: string;
	/** Session with the conversation between the task and the model. */
	own_session_id: string;
	/** The task that it is a worker of. */
	parent_id: string | null;
	/** The call that created it, by which a repetition after a crash finds it. */
	spawn_call: string | null;
	/** The ended task that this one repeats. */
	retry_of: string | null;
	/** 0 for a task that people submitted, and one more than its parent's for a worker. */
	depth: number;
	/** Principal that submitted it, by `actingId`. */
	submitted_by: string;
	/** The `Person` of a chat platform who submitted it, as JSON, with their role at that time. */
	actor: string | null;
	title: string;
	description: string;
	/** Names of the tools that it may use, as JSON. */
	tools: string;
	/** 0 low, 1 normal, 2 high. */
	priority: number;
	agent: string;
	model: string | null;
	autonomy: "supervised" | "autonomous";
	state: TaskState;
	/** Event to send when it is claimed next. Null if clients already know its state. */
	announce: "started" | "resumed" | null;
	/** `PlanStep`s as JSON. Null without a plan. */
	plan: string | null;
	/** The last `Review` as JSON. */
	review: string | null;
	suspend_count: number;
	retry_count: number;
	max_retries: number;
	/** Milliseconds since the epoch before which the task does not start. */
	not_before: number;
	/** Milliseconds of work without waits. Updated with every transaction of its run. */
	worked_ms: number;
	/** The `Person`s of a chat platform who replied to it, as JSON. */
	speakers: string | null;
	/** Process that works on it, and the end of its lease. */
	worker: string | null;
	lease_until: number;
	output: string;
	/** Reason why it failed or was cancelled; "" otherwise. */
	error: string;
	created_at: number;
	updated_at: number;
	started_at: number | null;
	ended_at: number | null;
}

/** A task that waits for the end of another one. */
interface TaskNeedsTable extends Stamped {
	task_id: string;
	needs: string;
}

export interface TaskTables {
	tasks: TasksTable;
	task_needs: TaskNeedsTable;
}
