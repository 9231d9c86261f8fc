import { defined } from "@parley/base";
import type { PlanStep } from "./step-lines.ts";

/** How a task stands. `retrying`: a provider was at fault, and it is tried again after a while. */
export type TaskState =
	| "pending"
	| "running"
	| "retrying"
	| "suspended"
	| "completed"
	| "failed"
	| "cancelled";

/** What waits for people to say something. */
export interface Review {
	readonly token: string;
	/** The task that asks: the one of the card, or one of its workers. */
	readonly task: string;
	readonly title: string;
	readonly reason: string;
}

/** A task that works for another one. */
export interface Worker {
	readonly id: string;
	/** The task of the card, or another worker. */
	readonly parent: string;
	readonly title: string;
	readonly state: TaskState;
}

/** What a task and those who work for it have used. */
export interface Spent {
	readonly input: number;
	readonly output: number;
	/** US dollars; absent where the gateway does not tell it. */
	readonly cost?: number;
}

/** How a task has ended. */
export interface TaskEnd {
	/** Milliseconds from its first start; absent where it had not begun. */
	readonly tookMs?: number;
}

/** Reason of the state of a task. */
export interface TaskCause {
	/** Why it failed, is tried again or was cancelled. */
	readonly why?: string;
	/** Who cancelled it, as the gateway names them. */
	readonly by?: string;
}

/** A task that is over. Its texts have one line each, and are cut. */
export interface EndedTask extends TaskCause {
	readonly id: string;
	readonly title: string;
	readonly state: TaskState;
}

/** A task that has a card. */
export interface Task extends EndedTask {
	/** Milliseconds since the epoch. */
	readonly createdAt: number;
	/** When it was started for the first time. */
	readonly startedAt?: number;
	readonly step?: { readonly done: number; readonly total: number; readonly label: string };
	/** The whole plan, as far as the gateway tells it. */
	readonly steps?: readonly PlanStep[];
	/** In the order in which they came. */
	readonly workers: readonly Worker[];
	/** Those that nobody has answered, the newest last. */
	readonly reviews: readonly Review[];
	/** As far as it has been told. */
	readonly spent?: Spent;
	readonly end?: TaskEnd;
}

/** The tasks of a conversation. */
export interface TasksSlice {
	/** Those that are not over, in the order in which they came. */
	readonly live: readonly Task[];
	/** The newest last. */
	readonly ended: readonly EndedTask[];
}

/** The gateway lets a session have this many at a time. */
const mostLive = 100;
const mostEnded = 30;

export function hasEnded(state: TaskState): boolean {
	return state === "completed" || state === "failed" || state === "cancelled";
}

/** Puts a task back to where it stood, or to those that are over. */
export function withTask({ live, ended }: TasksSlice, task: Task): TasksSlice {
	if (hasEnded(task.state)) {
		const { id, title, state, why, by } = task;
		const over = { id, title, state, ...defined({ why, by }) };
		return {
			live: live.filter((one) => one.id !== id),
			ended: [...ended, over].slice(-mostEnded),
		};
	}
	const known = live.some(({ id }) => id === task.id);
	return {
		live: known ? live.map((one) => (one.id === task.id ? task : one)) : [...live, task].slice(-mostLive),
		ended,
	};
}

/** The card that shows the task: its own, or that of the task which it works for. */
export function cardWith({ live }: TasksSlice, id: string): Task | undefined {
	return live.find((task) => task.id === id || task.workers.some((worker) => worker.id === id));
}

/** Of an id, what people read and type. */
export function shortId(id: string): string {
	return id.slice(-6);
}

export function taskCard(id: string): string {
	return `task:${id}`;
}
