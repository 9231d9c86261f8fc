import type { Person } from "../principal.ts";
import type { Usage } from "../usage.ts";

/**
 * pending: will be taken up when there is room. waiting: for its workers, and shown to people as running. suspended:
 * for a person's word. The last three are ends, and a task comes to exactly one of them.
 */
export const taskStates = [
	...(["pending", "running", "waiting", "suspended"] as const),
	...(["completed", "failed", "cancelled"] as const),
];
export type TaskState = (typeof taskStates)[number];

/** States that nothing follows. */
export const endStates = ["completed", "failed", "cancelled"] as const satisfies readonly TaskState[];

export function hasEnded(state: TaskState): boolean {
	return endStates.some((end) => end === state);
}

/** From the least to the most urgent: their places are what the store keeps. */
export const priorities = ["low", "normal", "high"] as const;
export type Priority = (typeof priorities)[number];

export type Autonomy = "supervised" | "autonomous";

/** A step of the plan that the agent keeps. */
export interface PlanStep {
	readonly title: string;
	readonly state: "pending" | "in_progress" | "completed" | "skipped";
}

/** How far a task has come: `current` steps of `total` are completed, which is `percentage`, and `label` is at work. */
export interface TaskProgress {
	readonly current: number;
	readonly total: number;
	readonly label: string;
	readonly percentage: number;
}

/** What a task is suspended for, and what a person said of it. */
export interface Review {
	/** Unguessable; names this very question. */
	readonly token: string;
	/** The call that asked. */
	readonly callId: string;
	readonly reason: string;
	/** The plan or the question. */
	readonly content: string;
	readonly reply?: ReviewReply;
}

export interface ReviewReply {
	readonly approved: boolean;
	readonly feedback: string;
	readonly by: string;
	/** Who of a chat platform said it, with the role of that moment. */
	readonly person?: Person;
}

/** What somebody submits. Names of tools, tasks, agents and models are checked when it is. */
export interface NewTask {
	readonly title: string;
	readonly description: string;
	/** The usual ones where absent. */
	readonly tools?: readonly string[];
	readonly priority?: Priority;
	readonly agent?: string;
	readonly model?: string;
	/** Tasks of the same session that must be completed first. */
	readonly dependsOn?: readonly string[];
	readonly autonomy?: Autonomy;
}

/** A task as people see it. Times are milliseconds since the epoch, costs billionths of a US dollar. */
export interface TaskFacts {
	readonly id: string;
	readonly sessionId: string;
	/** The session that holds its conversation with the model: to be read, not to be spoken in. */
	readonly ownSessionId: string;
	readonly parentId: string | undefined;
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
	/** While it is suspended. */
	readonly review: Omit<Review, "reply"> | undefined;
	readonly suspendCount: number;
	readonly retryCount: number;
	readonly output: string;
	readonly error: string;
	/** Of its workers, too. */
	readonly usage: Usage & { readonly cost: number };
	readonly createdAt: number;
	readonly updatedAt: number;
	readonly startedAt: number | undefined;
	readonly endedAt: number | undefined;
}

/** Which tasks are wanted, newest first. */
export interface TaskFilter {
	readonly limit: number;
	readonly sessionId?: string;
	readonly parentId?: string;
	readonly states?: readonly TaskState[];
	/** Only those submitted before this one. */
	readonly before?: string;
}
