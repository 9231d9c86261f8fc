import type { ParleyError } from "@parley/base";
import type { Tx } from "../store/journal.ts";
import type { RecordedEvent } from "../vocabulary/event.ts";
import type { Person } from "../vocabulary/principal.ts";
import type { TaskDesk } from "../vocabulary/tasks/task-desk.ts";
import type { Session } from "./session.ts";

/** How a run of a task came to its end, as its last event tells it. */
export interface TaskRunEnd {
	readonly error: string;
	readonly content: string;
}

/** Records events of the task, or of its conversation, in the transaction at hand. */
type RecordTask = (...events: RecordedEvent[]) => Promise<unknown>;

/**
 * What ties the conversation of a task to the task, while somebody works on it: the session answers to it in every
 * transaction.
 */
export interface TaskHold {
	readonly taskId: string;
	/** The session that owns the task: whom it belongs to, and where people are asked. */
	readonly home: Session;
	/** Sessions, beside its own, that its use is counted for. */
	readonly accounts: readonly string[];
	/** Names of the tools that its submitter gave it. */
	readonly tools: readonly string[];
	/** Who of a chat platform has replied to it. */
	readonly speakers: readonly Person[];
	/** How long it was worked on when it was taken up, in milliseconds. */
	readonly workedMs: number;
	/** Whether it may ask people to look at what it does. */
	readonly supervised: boolean;
	/** Whether it may spawn workers. */
	readonly spawns: boolean;
	/** Whether it is a step of a workflow: `skill.step` events tell of it, and no `task` events. */
	readonly isStep: boolean;
	/** What the tools of the task can do for one call of a run. */
	desk(run: { readonly session: Session; park(): void }, callId: string): TaskDesk;
	/** Keeps the task for us; throws `aborted` where another worker has taken it over. */
	keep(tx: Tx): Promise<void>;
	/** Brings the task to its end, with that of its run. */
	end(tx: Tx, record: RecordTask, end: TaskRunEnd): Promise<void>;
	/**
	 * Puts the task off where the fault may pass; true where the run is to stop and go on later. Before people are told,
	 * `spend` counts the call that failed.
	 */
	putOff(
		writing: { readonly tx: Tx; readonly record: RecordTask },
		failure: ParleyError,
		spend: () => Promise<void>,
	): Promise<boolean>;
}

/** What of a task's conversation is told in the session that owns the task: what people are to see or to answer. */
const toldAtHome = /^(?:task|prompt|budget|file|grant)\./;

/** Whether clients do not get an event of a task's conversation, because the events of its workflow report it. */
export function isUntold({ isStep }: TaskHold, { type }: RecordedEvent): boolean {
	return isStep && type.startsWith("task.");
}

export function isToldAtHome({ type }: RecordedEvent): boolean {
	return toldAtHome.test(type);
}
