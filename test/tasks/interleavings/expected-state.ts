import type { TaskState } from "@parley/core";

/** All actions of users, the model, the provider and the process that affect a task and its only worker. */
export const actions = [
	...(["submit", "approve", "revise", "allow", "deny", "cancel"] as const),
	...(["finish", "effect", "gate", "ask", "spawn", "wait", "fault", "reject"] as const),
	...(["worker finishes", "worker fails", "worker asks", "worker faults", "worker effect"] as const),
	...(["approve worker", "crash", "advance"] as const),
];
export type Action = (typeof actions)[number];

/** Actions that affect all tasks of a process. */
export type Shared = Extract<Action, "crash" | "advance">;

export function isShared(action: Action): action is Shared {
	return action === "crash" || action === "advance";
}

/** The documented state of a task and its worker. */
export interface ExpectedState {
	readonly task: TaskState | "none";
	/** Whether a call of the task has an open approval. The state of the task is still `running`. */
	readonly asks: boolean;
	readonly worker: TaskState | "none";
	/** Number of suspensions of the task. */
	readonly suspended: number;
	/** Number of suspensions of the worker. */
	readonly workerSuspended: number;
	/** Number of postponements of the task after provider errors. */
	readonly putOff: number;
	/** Number of postponements of the worker after provider errors. */
	readonly workerPutOff: number;
	/** Number of the task's completed tool calls with effects. */
	readonly effects: number;
	readonly workerEffects: number;
}

export const atFirst: ExpectedState = {
	...{ task: "none", asks: false, worker: "none" },
	...{ suspended: 0, workerSuspended: 0, putOff: 0, workerPutOff: 0, effects: 0, workerEffects: 0 },
};

export function isOver(state: TaskState | "none"): boolean {
	return state === "completed" || state === "failed" || state === "cancelled";
}

function ended(before: ExpectedState, task: TaskState): ExpectedState {
	const open = before.worker !== "none" && !isOver(before.worker);
	return { ...before, task, asks: false, ...(open && { worker: "cancelled" as const }) };
}

function workerEnded(before: ExpectedState, worker: TaskState): ExpectedState {
	return { ...before, worker, ...(before.task === "waiting" && { task: "running" as const }) };
}

/** The documented state machine. Each action has a condition and a next state. */
const machine: Readonly<
	Record<Action, readonly [(at: ExpectedState) => boolean, (at: ExpectedState) => ExpectedState]>
> = {
	submit: [({ task }) => task === "none", (at) => ({ ...at, task: "running" })],
	finish: [isAtWork, (at) => ended(at, "completed")],
	reject: [isAtWork, (at) => ended(at, "failed")],
	cancel: [isOpen, (at) => ended(at, "cancelled")],
	effect: [isAtWork, (at) => ({ ...at, effects: at.effects + 1 })],
	gate: [isAtWork, (at) => ({ ...at, asks: true })],
	allow: [({ asks }) => asks, (at) => ({ ...at, asks: false, effects: at.effects + 1 })],
	deny: [({ asks }) => asks, (at) => ({ ...at, asks: false })],
	ask: [isAtWork, (at) => ({ ...at, task: "suspended", suspended: at.suspended + 1 })],
	approve: [({ task }) => task === "suspended", (at) => ({ ...at, task: "running" })],
	revise: [({ task }) => task === "suspended", (at) => ({ ...at, task: "running" })],
	fault: [isAtWork, (at) => ({ ...at, task: "pending", putOff: at.putOff + 1 })],
	spawn: [(at) => isAtWork(at) && at.worker === "none", (at) => ({ ...at, worker: "running" })],
	wait: [(at) => isAtWork(at) && isWorking(at), (at) => ({ ...at, task: "waiting" })],
	"worker finishes": [({ worker }) => worker === "running", (at) => workerEnded(at, "completed")],
	"worker fails": [({ worker }) => worker === "running", (at) => workerEnded(at, "failed")],
	"worker effect": [
		({ worker }) => worker === "running",
		(at) => ({ ...at, workerEffects: at.workerEffects + 1 }),
	],
	"worker asks": [
		({ worker }) => worker === "running",
		(at) => ({ ...at, worker: "suspended", workerSuspended: at.workerSuspended + 1 }),
	],
	"approve worker": [({ worker }) => worker === "suspended", (at) => ({ ...at, worker: "running" })],
	"worker faults": [
		({ worker }) => worker === "running",
		(at) => ({ ...at, worker: "pending", workerPutOff: at.workerPutOff + 1 }),
	],
	crash: [({ task }) => task !== "none", (at) => at],
	advance: [
		({ task, worker }) => task === "pending" || worker === "pending",
		(at) => ({
			...at,
			...(at.task === "pending" && { task: "running" as const }),
			...(at.worker === "pending" && { worker: "running" as const }),
		}),
	],
};

function isAtWork({ task, asks }: ExpectedState): boolean {
	return task === "running" && !asks;
}

function isOpen({ task }: ExpectedState): boolean {
	return task !== "none" && !isOver(task);
}

function isWorking({ worker }: ExpectedState): boolean {
	return worker !== "none" && !isOver(worker);
}

export function enabled(at: ExpectedState): Action[] {
	return actions.filter((action) => machine[action][0](at));
}

/** Returns the state after an action. Throws if the action is not possible. */
export function after(at: ExpectedState, action: Action): ExpectedState {
	const [makesSense, advance] = machine[action];
	if (!makesSense(at)) throw new Error(`${action} makes no sense: ${JSON.stringify(at)}`);
	return advance(at);
}
