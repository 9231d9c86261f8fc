import { defined } from "@parley/base";
import {
	type PlanStep,
	progressOf,
	type RecordedEvent,
	type TaskEvent,
	type TaskFacts,
	type TaskProgress,
	type TaskState,
	type WorkerEvent,
} from "@parley/core";
import type { EventName, EventPayloads, TaskPayload } from "@parley/protocol";
import { beginning } from "./beginning.ts";
import { toTime } from "./time.ts";
import { encodeUsage } from "./usage-json.ts";
import type { EncodedEvent } from "./wire-event.ts";

type Status = TaskPayload["status"];

/** Maximum number of characters of a long text in a list, without the ellipsis. */
const maxListed = 500;

export interface TaskView {
	/** Returns the token of a suspension to show; undefined hides the token. */
	readonly token: (token: string) => string | undefined;
}

export function encodeTask(task: TaskFacts, { token }: TaskView): TaskPayload {
	const { review, model, plan, retryOf, startedAt, endedAt } = task;
	const shown = review && token(review.token);
	return {
		id: task.id,
		title: task.title,
		status: encodeState(task.state),
		progress: encodeProgress(task.progress),
		description: task.description,
		session_id: task.sessionId,
		conversation: task.ownSessionId,
		parent_id: task.parentId ?? "",
		...defined({ retry_of: retryOf }),
		priority: task.priority,
		tools: [...task.tools],
		agent: task.agent,
		...defined({ model }),
		autonomy: task.autonomy,
		depends_on: [...task.dependsOn],
		owner: task.submittedBy,
		...defined({
			plan: plan && encodePlan(plan),
			suspension: review && defined({ reason: review.reason, plan_content: review.content, token: shown }),
		}),
		suspend_count: task.suspendCount,
		retry_count: task.retryCount,
		output: task.output,
		error: task.error,
		created_at: toTime(task.createdAt),
		updated_at: toTime(task.updatedAt),
		...defined({
			started_at: startedAt === undefined ? undefined : toTime(startedAt),
			completed_at: endedAt === undefined ? undefined : toTime(endedAt),
		}),
		usage: encodeUsage(task.usage),
	};
}

/** Encodes a task for a list. Omits its plan, and cuts long texts to 500 characters. */
export function encodeListedTask(task: TaskFacts, view: TaskView): TaskPayload {
	const { plan: _, ...payload } = encodeTask(task, view);
	const { description, output, error, suspension } = payload;
	return defined({
		...payload,
		description: shortened(description),
		output: shortened(output),
		error: shortened(error),
		suspension: suspension && { ...suspension, plan_content: shortened(suspension.plan_content) },
	});
}

function encodeProgress({ current, total, label, percentage }: TaskProgress): TaskPayload["progress"] {
	return { current_step: current, total_steps: total, current_step_label: label, percentage };
}

function encodeTaskProgress({ progress, plan }: Extract<TaskEvent, { type: "task.progress" }>) {
	return defined({ ...encodeProgress(progress), plan: plan && encodePlan(plan) });
}

function encodePlan(steps: readonly PlanStep[]): NonNullable<TaskPayload["plan"]> {
	return steps.map(({ title, state, durationMs }) => ({
		title,
		status: state,
		...defined({ duration: durationMs === undefined ? undefined : durationMs * nanosecondsPerMs }),
	}));
}

export function encodeTodo({
	runId,
	callId,
	steps,
}: Omit<Extract<RecordedEvent, { type: "todo.updated" }>, "type">): EventPayloads["todo.updated"] {
	const progress = encodeProgress(progressOf("", steps, false));
	return { run_id: runId, call_id: callId, ...progress, plan: encodePlan(steps) };
}

/** Encodes the state of a task. A task that waits for its workers is `running` for clients. */
export function encodeState(state: TaskState): Status {
	return state === "waiting" ? "running" : state;
}

export function decodeStatuses(statuses: readonly Status[]): TaskState[] {
	return [...new Set(statuses)].flatMap((status) =>
		status === "running" ? (["running", "waiting"] as const) : [status],
	);
}

function shortened(text: string): string {
	return text.length <= maxListed ? text : `${beginning(text, maxListed)}…`;
}

const nanosecondsPerMs = 1_000_000;

export type AnyTaskEvent = TaskEvent | WorkerEvent;

/** Names of events in the Ozzie document. All events of workers have the same name. */
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

export function encodeTaskEvent(event: AnyTaskEvent): EncodedEvent {
	const task = { task_id: event.taskId };
	switch (event.type) {
		case "task.created": {
			const { title, description, parentId, by } = event;
			const submission = defined({ title, description, parent_id: parentId, by });
			return { event: event.type, payload: { ...task, ...submission } };
		}
		case "task.started":
		case "task.resumed":
			return { event: event.type, payload: { ...task, title: event.title } };
		case "task.progress":
			return { event: event.type, payload: { ...task, ...encodeTaskProgress(event), ...usageOf(event) } };
		case "task.suspended": {
			const { title, reason, content, token, suspendCount } = event;
			const suspension = { reason, suspend_count: suspendCount, plan_content: content, token };
			return { event: event.type, payload: { ...task, title, ...suspension, ...usageOf(event) } };
		}
		case "task.completed": {
			const { title, summary, durationMs, usage } = event;
			const { inputTokens: tokens_input, outputTokens: tokens_output } = usage;
			const figures = { duration: nanoseconds(durationMs), tokens_input, tokens_output, ...usageOf(event) };
			return { event: event.type, payload: { ...task, title, output_summary: summary, ...figures } };
		}
		case "task.failed": {
			const { title, error, retryCount, willRetry } = event;
			const failure = { error, retry_count: retryCount, will_retry: willRetry };
			return { event: event.type, payload: { ...task, title, ...failure, ...usageOf(event) } };
		}
		case "task.cancelled": {
			const { reason, by } = event;
			const cancellation = defined({ reason, by });
			return { event: event.type, payload: { ...task, ...cancellation, ...usageOf(event) } };
		}
		default:
			return { event: "internal.worker", payload: encodeWorker(event) };
	}
}

function usageOf({ usage }: { readonly usage?: Extract<TaskEvent, { type: "task.progress" }>["usage"] }) {
	return defined({ usage: usage && encodeUsage(usage) });
}

function encodeWorker(
	event: WorkerEvent,
): Extract<EncodedEvent, { readonly event: "internal.worker" }>["payload"] {
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

/**
 * Converts milliseconds to nanoseconds. Durations above three months have no exact number of nanoseconds, and become
 * the largest exact number.
 */
function nanoseconds(ms: number): number {
	return Math.min(Math.round(ms * nanosecondsPerMs), Number.MAX_SAFE_INTEGER);
}
