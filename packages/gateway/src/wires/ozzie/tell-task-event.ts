import type { SessionEvent, TaskEvent, WorkerEvent } from "@parley/core";
import type { EventName } from "@parley/protocol";
import type { Told } from "./codec.ts";
import { encodeProgress } from "./task-codec.ts";
import { encodeUsage } from "./usage-codec.ts";

const nanosecondsPerMs = 1_000_000;

export type AnyTaskEvent = TaskEvent | WorkerEvent;

/** What each of them is called on this wire: the lives of those who work have one name. */
export const taskEventNames = {
	"task.created": "task.created",
	"task.started": "task.started",
	"task.progress": "task.progress",
	"task.suspended": "task.suspended",
	"task.resumed": "task.resumed",
	"task.completed": "task.completed",
	"task.failed": "task.failed",
	"task.cancelled": "task.cancelled",
	"worker.started": "internal.worker",
	"worker.phased": "internal.worker",
	"worker.completed": "internal.worker",
	"worker.failed": "internal.worker",
	"worker.exited": "internal.worker",
} as const satisfies Record<AnyTaskEvent["type"], EventName>;

export function isTaskEvent(event: SessionEvent["event"]): event is AnyTaskEvent {
	return Object.hasOwn(taskEventNames, event.type);
}

/** The events about tasks, and those who work on them, as this wire shows them. */
export function tellTaskEvent(event: AnyTaskEvent): Told {
	const task = { task_id: event.taskId };
	switch (event.type) {
		case "task.created": {
			const { title, description, parentId } = event;
			return { event: event.type, payload: { ...task, title, description, parent_id: parentId } };
		}
		case "task.started":
		case "task.resumed":
			return { event: event.type, payload: { ...task, title: event.title } };
		case "task.progress":
			return { event: event.type, payload: { ...task, ...encodeProgress(event.progress), ...used(event) } };
		case "task.suspended": {
			const { title, reason, content, token, suspendCount } = event;
			const asked = { reason, suspend_count: suspendCount, plan_content: content, token };
			return { event: event.type, payload: { ...task, title, ...asked, ...used(event) } };
		}
		case "task.completed": {
			const { title, summary, durationMs, usage } = event;
			const { inputTokens: tokens_input, outputTokens: tokens_output } = usage;
			const figures = { duration: nanoseconds(durationMs), tokens_input, tokens_output, ...used(event) };
			return { event: event.type, payload: { ...task, title, output_summary: summary, ...figures } };
		}
		case "task.failed": {
			const { title, error, retryCount, willRetry } = event;
			const failure = { error, retry_count: retryCount, will_retry: willRetry };
			return { event: event.type, payload: { ...task, title, ...failure, ...used(event) } };
		}
		case "task.cancelled": {
			const { reason, by } = event;
			const said = { reason, ...(by !== undefined && { by }) };
			return { event: event.type, payload: { ...task, ...said, ...used(event) } };
		}
		default:
			return { event: "internal.worker", payload: encodeWorker(event) };
	}
}

function used({ usage }: Pick<Extract<TaskEvent, { type: "task.progress" }>, "usage">) {
	return usage ? { usage: encodeUsage(usage) } : {};
}

function encodeWorker(event: WorkerEvent): Extract<Told, { readonly event: "internal.worker" }>["payload"] {
	const task = { task_id: event.taskId };
	switch (event.type) {
		case "worker.started": {
			const { title, parentId, agent } = event;
			return { ...task, event: "started", title, parent_id: parentId, agent };
		}
		case "worker.phased":
			return { ...task, event: "phase", phase: event.phase };
		case "worker.completed":
			return { ...task, event: "completed", output_summary: event.summary };
		case "worker.failed":
			return { ...task, event: "failed", error: event.error };
		case "worker.exited":
			return { ...task, event: "exited" };
	}
}

/** Of more than three months no number is exact to the nanosecond any more. */
function nanoseconds(ms: number): number {
	return Math.min(Math.round(ms * nanosecondsPerMs), Number.MAX_SAFE_INTEGER);
}
