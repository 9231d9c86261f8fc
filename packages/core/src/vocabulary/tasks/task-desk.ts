import type { PlanStep, ReviewReply, TaskProgress, TaskState } from "./task.ts";

/** A worker that a task wants: what it leaves out it has from the task. */
export interface NewWorker {
	readonly title: string;
	readonly description: string;
	readonly tools?: readonly string[];
	readonly model?: string;
	/** Workers of the same task that must be completed first. */
	readonly dependsOn?: readonly string[];
}

/** What has become of a worker. */
export interface WorkerResult {
	readonly id: string;
	readonly title: string;
	readonly state: TaskState;
	readonly output: string;
	readonly error: string;
}

/**
 * What the tools of a task do with it. `review` and `workers` throw `cancelled` where there is nothing yet: the run
 * stops then, and the same call is made again when there is.
 */
export interface TaskDesk {
	/** Keeps the plan and tells people where it changed. */
	plan(steps: readonly PlanStep[]): Promise<TaskProgress>;
	/** Suspends the task until a person has said something. */
	review(asked: { readonly reason: string; readonly content: string }): Promise<ReviewReply>;
	/** Makes a worker and returns its id; the same for the same call. */
	spawn(worker: NewWorker): Promise<string>;
	/** Waits for these workers, or all. */
	workers(ids: readonly string[] | undefined): Promise<readonly WorkerResult[]>;
}
