import type { TaskState } from "../vocabulary/task.ts";
import type { Stamped } from "./stamped.ts";

/**
 * Table of tasks. `epoch` is the number of times that a task was claimed. If `epoch` has increased since a process
 * claimed the task, the process has lost the task.
 */
interface TasksTable extends Stamped {
	id: string;
	/** Session that owns the task. Its users see the task and answer the task's questions. */
	session_id: string;
	/** Session with the conversation between the task and the model. */
	own_session_id: string;
	/** Parent task of a worker. */
	parent_id: string | null;
	/**
	 * Id of the tool call that created the task. If the call is repeated after a crash, the call finds the task by the
	 * id. For a step of a workflow, the id of the workflow run.
	 */
	spawn_call: string | null;
	/** Ended task that this task repeats. */
	retry_of: string | null;
	/** Depth of the task: 0 without a parent. For a worker, the depth of its parent plus 1. */
	depth: number;
	/** Id of the person or principal that submitted the task (see `actingId`). */
	submitted_by: string;
	/** The `Person` of a chat platform who submitted the task, as JSON, with the person's role at that time. */
	actor: string | null;
	title: string;
	description: string;
	/** Names of the tools that are available to the task, as JSON. */
	tools: string;
	/** Priority: 0 for low, 1 for normal, 2 for high. */
	priority: number;
	agent: string;
	model: string | null;
	autonomy: "supervised" | "autonomous";
	state: TaskState;
	/** Event to emit at the next claim. Null if clients already know the state. */
	announce: "started" | "resumed" | null;
	/** `PlanStep`s as JSON. Null if there is no plan. */
	plan: string | null;
	/** The last `Review` as JSON. */
	review: string | null;
	suspend_count: number;
	retry_count: number;
	max_retries: number;
	/** Earliest start time in milliseconds since the epoch. */
	not_before: number;
	/** Working time in milliseconds, without waits. Updated in every transaction of the task's run. */
	worked_ms: number;
	/**
	 * Participants except the submitter: chat users who made a request that the task works on, or who replied to the
	 * task. JSON array of `Person`, or null.
	 */
	speakers: string | null;
	/** Process that works on the task. `lease_until` is the end of its lease. */
	worker: string | null;
	lease_until: number;
	output: string;
	/** Reason why the task failed or was cancelled, or "". */
	error: string;
	created_at: number;
	updated_at: number;
	started_at: number | null;
	ended_at: number | null;
}

/** Table of dependencies between tasks. The task `needs` must complete before the task `task_id` starts. */
interface TaskNeedsTable extends Stamped {
	task_id: string;
	needs: string;
}

export interface TaskTables {
	tasks: TasksTable;
	task_needs: TaskNeedsTable;
}
