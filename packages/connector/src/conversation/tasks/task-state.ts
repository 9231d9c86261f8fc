import { defined } from "@parley/base";
import type { PlanStep } from "./step-lines.ts";

/** State of a task. `retrying`: an attempt has failed, and another attempt follows. */
export type TaskState =
	| "pending"
	| "running"
	| "retrying"
	| "suspended"
	| "completed"
	| "failed"
	| "cancelled";

export interface Review {
	readonly token: string;
	/** Id of the task that asked the question: the task of the card, or a worker of this task. */
	readonly task: string;
	readonly title: string;
	readonly reason: string;
}

export interface Worker {
	readonly id: string;
	/** Id of the worker's parent: the task of the card, or another worker. */
	readonly parent: string;
	readonly title: string;
	readonly state: TaskState;
}

export interface Spent {
	readonly input: number;
	readonly output: number;
	/** Cost in US dollars; absent if the gateway does not report it. */
	readonly cost?: number;
}

export interface TaskEnd {
	/** Duration of the task in milliseconds; absent if it was not started. */
	readonly tookMs?: number;
}

export interface TaskCause {
	/** Reason for a failure, a retry or a cancellation. */
	readonly why?: string;
	/** Principal that cancelled the task. */
	readonly by?: string;
}

/** An ended task. Its texts have one line of limited length. */
export interface EndedTask extends TaskCause {
	readonly id: string;
	readonly title: string;
	readonly state: TaskState;
}

/** A task that has a card. */
export interface Task extends EndedTask {
	/** Principal that submitted the task; absent if the gateway does not report it. */
	readonly requester?: string;
	/** Time of the submission, in milliseconds since the epoch. */
	readonly createdAt: number;
	/** Time of the first start, in milliseconds since the epoch; absent if the task has not started. */
	readonly startedAt?: number;
	readonly step?: { readonly done: number; readonly total: number; readonly label: string };
	/** The complete plan, if the gateway reports it. */
	readonly steps?: readonly PlanStep[];
	/** Workers in order of creation. */
	readonly workers: readonly Worker[];
	/** Open questions, the newest last. */
	readonly reviews: readonly Review[];
	readonly spent?: Spent;
	readonly end?: TaskEnd;
}

export interface TasksSlice {
	/** Tasks that have not ended, in order of creation. */
	readonly live: readonly Task[];
	/** Ended tasks, the newest last. */
	readonly ended: readonly EndedTask[];
}

/** Maximum number of live tasks in a session. The gateway has the same limit. */
const maxLive = 100;
const maxEnded = 30;

export function hasEnded(state: TaskState): boolean {
	return state === "completed" || state === "failed" || state === "cancelled";
}

/** Adds or replaces a task that has not ended. Moves a task that has ended to the ended tasks. */
export function withTask({ live, ended }: TasksSlice, task: Task): TasksSlice {
	if (hasEnded(task.state)) {
		const { id, title, state, why, by } = task;
		const over = { id, title, state, ...defined({ why, by }) };
		return {
			live: live.filter((one) => one.id !== id),
			ended: [...ended, over].slice(-maxEnded),
		};
	}
	const known = live.some(({ id }) => id === task.id);
	return {
		live: known ? live.map((one) => (one.id === task.id ? task : one)) : [...live, task].slice(-maxLive),
		ended,
	};
}

/** Finds the live task whose card shows the task or worker `id`. */
export function findTaskOfCard({ live }: TasksSlice, id: string): Task | undefined {
	return live.find((task) => task.id === id || task.workers.some((worker) => worker.id === id));
}

export function taskCard(id: string): string {
	return `task:${id}`;
}
