import { defined } from "@parley/base";
import type { EventPayloads, OzzieEvent } from "@parley/protocol";
import { oneLine } from "../vocabulary/plain.ts";
import type { RecordedEvent } from "../vocabulary/reducer.ts";
import { stepsOf } from "./step-lines.ts";
import {
	findTaskOfCard,
	hasEnded,
	type Review,
	type Spent,
	type Task,
	type TaskCause,
	type TaskEnd,
	type TaskState,
	type TasksSlice,
	type Worker,
} from "./task-state.ts";

export interface TaskChange {
	/** Task before the event; absent for a new task. */
	readonly before?: Task;
	readonly after: Task;
}

export type TaskEvent = Extract<OzzieEvent, { event: `task.${string}` }>;

const maxTitle = 150;
const maxLabel = 120;
const maxReason = 300;
/**
 * Maximum number of workers of a task in the state. If there are more, the oldest ended worker is dropped. If no
 * worker has ended, the oldest worker is dropped.
 */
const maxWorkers = 80;

/** Returns the change that an event makes to a task, or undefined if it changes no task with a card. */
export function changeOf(slice: TasksSlice, { event, at }: RecordedEvent): TaskChange | undefined {
	if (event.event === "internal.worker") return ofWorker(slice, event.payload);
	if (!isTaskEvent(event)) return;
	if (event.event === "task.created") return created(slice, event.payload, at);
	const before = findTaskOfCard(slice, event.payload.task_id);
	return before && { before, after: changed(before, event, at) };
}

export function isTaskEvent(event: OzzieEvent): event is TaskEvent {
	return event.event.startsWith("task.");
}

function created(
	slice: TasksSlice,
	{ task_id: id, title: given, parent_id: parent, by }: EventPayloads["task.created"],
	at: number,
): TaskChange | undefined {
	const title = oneLine(given, maxTitle);
	if (parent === "") {
		const task = { id, title, state: "pending", createdAt: at, workers: [], reviews: [] } as const;
		return { after: { ...task, ...defined({ requester: by }) } };
	}
	return joined(slice, { id, parent, title, state: "pending" });
}

function joined(slice: TasksSlice, worker: Worker): TaskChange | undefined {
	const before = findTaskOfCard(slice, worker.parent);
	return before && { before, after: { ...before, workers: withWorker(before.workers, worker) } };
}

function withWorker(workers: readonly Worker[], worker: Worker): readonly Worker[] {
	if (workers.length < maxWorkers) return [...workers, worker];
	const dropped = workers.findIndex(({ state }) => hasEnded(state));
	return [...workers.toSpliced(Math.max(dropped, 0), 1), worker];
}

function ofWorker(slice: TasksSlice, payload: EventPayloads["internal.worker"]): TaskChange | undefined {
	const { task_id: id } = payload;
	const before = findTaskOfCard(slice, id);
	if (payload.event === "started" && !before) {
		const { parent_id: parent, title } = payload;
		return joined(slice, { id, parent, title: oneLine(title, maxTitle), state: "running" });
	}
	// Another event reports the end of the task itself.
	if (!before || before.id === id) return;
	if (payload.event !== "completed" && payload.event !== "failed") return;
	return { before, after: withState(before, id, payload.event) };
}

function changed(task: Task, event: Exclude<TaskEvent, { event: "task.created" }>, at: number): Task {
	const { task_id: id } = event.payload;
	const own = task.id === id;
	const spent = own ? spentBy(event) : undefined;
	if (event.event === "task.progress") {
		return own ? { ...withStep(task, event.payload), ...defined({ spent }) } : task;
	}
	const state = stateAfter(event);
	const moved = withState(task, id, state);
	const closed = own && hasEnded(state) ? [] : moved.reviews.filter((review) => review.task !== id);
	const reviews = event.event === "task.suspended" ? [...closed, reviewOf(event.payload)] : closed;
	if (!own) return { ...moved, reviews };
	const { why: _, ...rest } = moved;
	return {
		...rest,
		reviews,
		...defined({
			spent,
			startedAt: event.event === "task.started" ? (task.startedAt ?? at) : undefined,
		}),
		...causeOf(event),
		...defined({ end: hasEnded(state) ? endOf(task, event, at) : undefined }),
	};
}

function stateAfter(event: Exclude<TaskEvent, { event: "task.created" | "task.progress" }>): TaskState {
	switch (event.event) {
		case "task.started":
		case "task.resumed":
			return "running";
		case "task.suspended":
			return "suspended";
		case "task.completed":
			return "completed";
		case "task.failed":
			return event.payload.will_retry ? "retrying" : "failed";
		case "task.cancelled":
			return "cancelled";
	}
}

function withState(task: Task, id: string, state: TaskState): Task {
	if (task.id === id) return { ...task, state };
	return {
		...task,
		workers: task.workers.map((worker) => (worker.id === id ? { ...worker, state } : worker)),
	};
}

function withStep(
	task: Task,
	{ current_step: done, total_steps: total, current_step_label: label, plan }: EventPayloads["task.progress"],
): Task {
	const step = { done, total, label: oneLine(label, maxLabel) };
	return { ...task, step, ...defined({ steps: plan ? stepsOf(plan) : undefined }) };
}

function reviewOf({ task_id, token, title, reason }: EventPayloads["task.suspended"]): Review {
	return { token, task: task_id, title: oneLine(title, maxTitle), reason: oneLine(reason, maxReason) };
}

function causeOf(event: TaskEvent): TaskCause {
	if (event.event === "task.failed") return { why: oneLine(event.payload.error, maxReason) };
	if (event.event !== "task.cancelled") return {};
	const { reason, by } = event.payload;
	return { why: oneLine(reason, maxReason), ...defined({ by }) };
}

function endOf({ startedAt }: Task, event: TaskEvent, at: number): TaskEnd {
	if (event.event !== "task.completed") return startedAt === undefined ? {} : { tookMs: at - startedAt };
	return { tookMs: event.payload.duration / 1_000_000 };
}

function spentBy({ event, payload }: TaskEvent): Spent | undefined {
	const usage = "usage" in payload ? payload.usage : undefined;
	if (usage) {
		return { input: usage.tokens_input, output: usage.tokens_output, cost: usage.cost_usd };
	}
	if (event !== "task.completed") return;
	return { input: payload.tokens_input, output: payload.tokens_output };
}
