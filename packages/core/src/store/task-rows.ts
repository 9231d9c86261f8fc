import type { Selectable } from "kysely";
import type { Person } from "../vocabulary/principal.ts";
import { type PlanStep, priorities, progressOf, type Review, type TaskFacts } from "../vocabulary/task.ts";
import type { Usage } from "../vocabulary/usage.ts";
import { fromRow } from "./journal.ts";
import type { Tables } from "./tables.ts";

export type TaskRow = Selectable<Tables["tasks"]>;

/** Fields of `TaskFacts` that come from tables other than `tasks`. */
export interface TaskSurroundings {
	readonly needs: readonly string[];
	readonly usage: Usage & { readonly cost: number };
}

export function planOf({ plan }: { readonly plan: string | null }): readonly PlanStep[] | undefined {
	return plan === null ? undefined : fromRow<PlanStep[]>(plan);
}

export function reviewOf({ review }: { readonly review: string | null }): Review | undefined {
	return review === null ? undefined : fromRow<Review>(review);
}

interface TaskOrigin {
	readonly parent_id: string | null;
	readonly spawn_call: string | null;
}

/** Whether the task is a step of a workflow. If so, `spawn_call` is the id of the workflow run. */
export function isStep({ parent_id, spawn_call }: TaskOrigin): boolean {
	return parent_id === null && spawn_call !== null;
}

/**
 * Returns the task's participants except the submitter. These are chat users who made a request that the task works on,
 * or who replied to the task.
 */
export function taskParticipants({ speakers }: { readonly speakers: string | null }): readonly Person[] {
	return speakers === null ? [] : fromRow<Person[]>(speakers);
}

/** Converts the row of a task to `TaskFacts` for clients. */
export function taskFacts(row: TaskRow, { needs, usage }: TaskSurroundings): TaskFacts {
	const plan = planOf(row);
	const review = row.state === "suspended" ? reviewOf(row) : undefined;
	return {
		id: row.id,
		sessionId: row.session_id,
		ownSessionId: row.own_session_id,
		parentId: row.parent_id ?? undefined,
		stepOf: isStep(row) ? (row.spawn_call ?? undefined) : undefined,
		retryOf: row.retry_of ?? undefined,
		title: row.title,
		description: row.description,
		state: row.state,
		priority: priorities[row.priority] ?? "normal",
		tools: fromRow<string[]>(row.tools),
		agent: row.agent,
		model: row.model ?? undefined,
		autonomy: row.autonomy,
		dependsOn: needs,
		submittedBy: row.submitted_by,
		progress: progressOf(row.title, plan, row.state === "completed"),
		plan,
		review,
		suspendCount: row.suspend_count,
		retryCount: row.retry_count,
		output: row.output,
		error: row.error,
		usage,
		createdAt: Number(row.created_at),
		updatedAt: Number(row.updated_at),
		startedAt: row.started_at === null ? undefined : Number(row.started_at),
		endedAt: row.ended_at === null ? undefined : Number(row.ended_at),
	};
}
