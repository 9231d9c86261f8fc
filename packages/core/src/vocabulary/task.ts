import type { Person } from "./principal.ts";
import type { OodaPhase } from "./run-options.ts";
import type { Spent, Usage } from "./usage.ts";

/**
 * States of a task. The last three states are final, and a task reaches at most one of them.
 * - pending: it waits for a free slot, for other tasks or for a retry.
 * - waiting: it waits for its workers, and is shown as running.
 * - suspended: it waits for a person's answer.
 */
export const taskStates = [
	"pending",
	"running",
	"waiting",
	"suspended",
	"completed",
	"failed",
	"cancelled",
] as const;
export type TaskState = (typeof taskStates)[number];

export const endStates = ["completed", "failed", "cancelled"] as const satisfies readonly TaskState[];

export function hasEnded(state: TaskState): boolean {
	return endStates.some((end) => end === state);
}

/** Priorities from least to most urgent. The store contains their indexes. */
export const priorities = ["low", "normal", "high"] as const;
export type Priority = (typeof priorities)[number];

export type Autonomy = "supervised" | "autonomous";

export interface PlanStep {
	readonly title: string;
	readonly state: "pending" | "in_progress" | "completed" | "skipped";
	/** Duration of an ended step, if it is known. */
	readonly durationMs?: number;
}

/**
 * Progress of a task. `current` of `total` steps are completed. `percentage` is rounded down. `label` is the
 * title of the current or last step, or of the task.
 */
export interface TaskProgress {
	readonly current: number;
	readonly total: number;
	readonly label: string;
	readonly percentage: number;
}

/** The plan or question for which a task is suspended, and a person's answer. */
export interface Review {
	/** Unguessable token of this question. */
	readonly token: string;
	/** Tool call that requested the review. */
	readonly callId: string;
	readonly reason: string;
	/** Plan or question. */
	readonly content: string;
	readonly reply?: ReviewReply;
}

export interface ReviewReply {
	readonly approved: boolean;
	readonly feedback: string;
	readonly by: string;
	/** Chat user who answered, with the role at that time. */
	readonly person?: Person;
}

/** A task to submit. Names of tools, tasks, agents and models are checked on submission. */
export interface NewTask {
	readonly title: string;
	readonly description: string;
	/** Names of the task's tools. Default: `run_command`, `git` and `query_memories`. */
	readonly tools?: readonly string[];
	readonly priority?: Priority;
	readonly agent?: string;
	readonly model?: string;
	/**
	 * Ids of tasks of the same session. They must complete before this task starts. If one of them fails or is cancelled,
	 * this task fails.
	 */
	readonly dependsOn?: readonly string[];
	readonly autonomy?: Autonomy;
}

/** A task in the form that people see. Times are milliseconds since the epoch, costs billionths of a US dollar. */
export interface TaskFacts {
	readonly id: string;
	readonly sessionId: string;
	/** Session with the conversation between the task and the model. People can read it, but cannot write to it. */
	readonly ownSessionId: string;
	readonly parentId: string | undefined;
	/** Id of the run whose workflow contains the task as a step. The work of a sub-agent is such a step. */
	readonly stepOf: string | undefined;
	readonly retryOf: string | undefined;
	readonly title: string;
	readonly description: string;
	readonly state: TaskState;
	readonly priority: Priority;
	readonly tools: readonly string[];
	readonly agent: string;
	readonly model: string | undefined;
	readonly autonomy: Autonomy;
	readonly dependsOn: readonly string[];
	readonly submittedBy: string;
	readonly progress: TaskProgress;
	readonly plan: readonly PlanStep[] | undefined;
	/** Open review. Undefined unless the task is suspended. */
	readonly review: Omit<Review, "reply"> | undefined;
	readonly suspendCount: number;
	readonly retryCount: number;
	readonly output: string;
	readonly error: string;
	/** Usage, including workers. */
	readonly usage: Usage & { readonly cost: number };
	readonly createdAt: number;
	readonly updatedAt: number;
	readonly startedAt: number | undefined;
	readonly endedAt: number | undefined;
}

export interface TaskFilter {
	readonly limit: number;
	readonly sessionId?: string;
	readonly parentId?: string;
	readonly states?: readonly TaskState[];
	/** Id of a task. Only tasks that were submitted before this task are returned. */
	readonly before?: string;
}

/** Usage of a task and its workers at the time of the event. Absent in events of earlier versions. */
interface Used {
	readonly usage?: Spent;
}

/**
 * Events of a task in the session that owns the task. A step of a workflow does not have these events. The order
 * is: created; started; progress, suspended and resumed as they occur; then completed, cancelled, or failed without
 * a retry. After a failure with a retry, started follows. A task can also be cancelled before it starts.
 */
export type TaskEvent =
	| {
			readonly type: "task.created";
			readonly taskId: string;
			readonly title: string;
			readonly description: string;
			/** Parent task of a worker, or "" for other tasks. */
			readonly parentId: string;
			/** Principal that submitted the task. Absent for workers, and in events of earlier versions. */
			readonly by?: string;
	  }
	| { readonly type: "task.started"; readonly taskId: string; readonly title: string }
	| (Used & {
			readonly type: "task.progress";
			readonly taskId: string;
			readonly progress: TaskProgress;
			/** The complete plan. Absent for a task without a plan, and in events of earlier versions. */
			readonly plan?: readonly PlanStep[];
	  })
	| (Used & {
			readonly type: "task.suspended";
			readonly taskId: string;
			readonly title: string;
			readonly reason: string;
			/** Plan or question. */
			readonly content: string;
			readonly token: string;
			/** Number of suspensions of the task, including this one. */
			readonly suspendCount: number;
	  })
	| { readonly type: "task.resumed"; readonly taskId: string; readonly title: string }
	| {
			readonly type: "task.completed";
			readonly taskId: string;
			readonly title: string;
			/** Beginning of the task's output. */
			readonly summary: string;
			/** Milliseconds from the first start to the end. */
			readonly durationMs: number;
			/** Usage, including workers. */
			readonly usage: Spent;
	  }
	| (Used & {
			readonly type: "task.failed";
			readonly taskId: string;
			readonly title: string;
			readonly error: string;
			/** Number of earlier attempts. */
			readonly retryCount: number;
			readonly willRetry: boolean;
	  })
	| (Used & {
			readonly type: "task.cancelled";
			readonly taskId: string;
			/** Untrusted text. */
			readonly reason: string;
			/** Principal that requested the cancellation. Absent if no principal did. */
			readonly by?: string;
	  });

/**
 * Events of a worker, in the worker's own session. A worker is the run of a task, including a task that another task
 * spawned. The `tool.started` events between `worker.started` and `worker.exited` are the worker's tool calls. Each
 * worker ends with one `worker.exited`.
 */
export type WorkerEvent =
	| {
			readonly type: "worker.started";
			readonly taskId: string;
			/** Task that spawned the worker, or "" if no task did. */
			readonly parentId: string;
			readonly title: string;
			readonly agent: string;
	  }
	| {
			readonly type: "worker.phased";
			readonly taskId: string;
			readonly phase: "thinking" | "acting" | "waiting";
			/** Phase of the model call, if the run has mode `ooda`. */
			readonly ooda?: OodaPhase;
	  }
	| { readonly type: "worker.completed"; readonly taskId: string; readonly summary: string }
	| { readonly type: "worker.failed"; readonly taskId: string; readonly error: string }
	| { readonly type: "worker.exited"; readonly taskId: string };

/** A worker to create. For an omitted field, the value of the task applies. */
export interface NewWorker {
	readonly title: string;
	readonly description: string;
	readonly tools?: readonly string[];
	readonly model?: string;
	/**
	 * Ids of workers of the same task. They must complete before this worker starts. If one of them fails or is cancelled,
	 * this worker fails.
	 */
	readonly dependsOn?: readonly string[];
}

export interface WorkerResult {
	readonly id: string;
	readonly title: string;
	readonly state: TaskState;
	readonly output: string;
	readonly error: string;
}

/**
 * Operations for the tools of a task. While the reply or the workers' results are missing, `review` and `workers` throw
 * `cancelled`, and the run stops. When the reply or the results are available, the run repeats the tool call.
 */
export interface TaskAccess {
	/** Replaces the plan and reports the change to people. Resolves with the progress of the task. */
	plan(steps: readonly PlanStep[]): Promise<TaskProgress>;
	/** Suspends the task until a person replies, and resolves with the reply. */
	review(request: { readonly reason: string; readonly content: string }): Promise<ReviewReply>;
	/** Creates a worker and returns its id. A repeated call returns the same id. */
	spawn(worker: NewWorker): Promise<string>;
	/** Returns the results of the workers `ids`. Default: the results of all workers of the task. */
	workers(ids: readonly string[] | undefined): Promise<readonly WorkerResult[]>;
}

/**
 * Returns the progress of a task: the number of completed steps of the plan. Skipped steps are not counted. If the plan
 * has no other steps, the task is treated as one step. In a completed task, all steps are treated as completed, because
 * models often do not mark the last steps.
 */
export function progressOf(
	title: string,
	plan: readonly PlanStep[] | undefined,
	completed: boolean,
): TaskProgress {
	const steps = plan?.filter(({ state }) => state !== "skipped") ?? [];
	if (steps.length === 0) {
		return { current: completed ? 1 : 0, total: 1, label: title, percentage: completed ? 100 : 0 };
	}
	const current = completed ? steps.length : steps.filter(({ state }) => state === "completed").length;
	const at =
		steps.find(({ state }) => state === "in_progress") ?? steps.find(({ state }) => state === "pending");
	const label = (at ?? steps.at(-1))?.title ?? title;
	return { current, total: steps.length, label, percentage: Math.floor((100 * current) / steps.length) };
}
