import type { OodaPhase } from "../ooda-phase.ts";
import type { Spent } from "../usage.ts";
import type { PlanStep, TaskProgress } from "./task.ts";

/** What a task and its workers have used by then; absent in events that an earlier version wrote. */
interface Used {
	readonly usage?: Spent;
}

/**
 * What people are told of a task, in the session that owns it. In this order: created; started; progress, suspended and
 * resumed as they come; then exactly one of completed, cancelled, and failed without a retry. A failure that is tried
 * again is followed by started.
 */
export type TaskEvent =
	| {
			readonly type: "task.created";
			readonly taskId: string;
			readonly title: string;
			readonly description: string;
			/** The task that it is a worker of; "" for none. */
			readonly parentId: string;
	  }
	| { readonly type: "task.started"; readonly taskId: string; readonly title: string }
	| (Used & {
			readonly type: "task.progress";
			readonly taskId: string;
			readonly progress: TaskProgress;
			/** The whole plan; absent for a task without one, and in events that an earlier version wrote. */
			readonly plan?: readonly PlanStep[];
	  })
	| (Used & {
			readonly type: "task.suspended";
			readonly taskId: string;
			readonly title: string;
			readonly reason: string;
			/** The plan or the question. */
			readonly content: string;
			readonly token: string;
			/** How often it was suspended, this time included. */
			readonly suspendCount: number;
	  })
	| { readonly type: "task.resumed"; readonly taskId: string; readonly title: string }
	| {
			readonly type: "task.completed";
			readonly taskId: string;
			readonly title: string;
			/** The beginning of what it has to say. */
			readonly summary: string;
			/** From its first start to its end. */
			readonly durationMs: number;
			/** Of its workers, too. */
			readonly usage: Spent;
	  }
	| (Used & {
			readonly type: "task.failed";
			readonly taskId: string;
			readonly title: string;
			readonly error: string;
			/** How often it was tried again before. */
			readonly retryCount: number;
			readonly willRetry: boolean;
	  })
	| (Used & {
			readonly type: "task.cancelled";
			readonly taskId: string;
			/** Anybody's words, whatever they claim. */
			readonly reason: string;
			/** Whose wish it was; absent where nobody wished it. */
			readonly by?: string;
	  });

/**
 * The life of one who works on a task, in the conversation of that task: a task's own run is its first worker, and each
 * task that it spawns is a further one. Its calls are the `tool.started` events between. Exited comes last, once.
 */
export type WorkerEvent =
	| {
			readonly type: "worker.started";
			readonly taskId: string;
			/** The task that spawned it; "" for a task's own run. */
			readonly parentId: string;
			readonly title: string;
			readonly agent: string;
	  }
	| {
			readonly type: "worker.phased";
			readonly taskId: string;
			readonly phase: "thinking" | "acting" | "waiting";
			/** The phase of the model call that begins, if the run has the mode `ooda`. */
			readonly ooda?: OodaPhase;
	  }
	| { readonly type: "worker.completed"; readonly taskId: string; readonly summary: string }
	| { readonly type: "worker.failed"; readonly taskId: string; readonly error: string }
	| { readonly type: "worker.exited"; readonly taskId: string };
