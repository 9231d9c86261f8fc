import type { Passing, Recorded, RecordedEvent, SessionEvent, TransientEvent } from "@parley/core";
import type { MetricRecorder } from "./recorder.ts";

type EventOf<Type extends RecordedEvent["type"]> = Extract<RecordedEvent, { type: Type }>;

interface OpenEvent {
	readonly sessionId: string;
	/** Time of the event, in milliseconds since the epoch. */
	readonly at: number;
}

interface OpenPrompt extends OpenEvent {
	readonly type: string;
}

/** The unfinished runs, by id, and the open prompts, by token. */
interface Counting {
	readonly recorder: MetricRecorder;
	readonly tools: ReadonlySet<string>;
	readonly runs: Map<string, OpenEvent>;
	readonly prompts: Map<string, OpenPrompt>;
}

/**
 * Table entry for an event type that is not counted. Either no metric needs the event, or a different event about the
 * same run, call, task or prompt is counted.
 */
const notCounted = undefined;

/** Functions that record the metrics of each event. An event type without an entry fails to compile. */
export type EventMetricTable = {
	readonly [Type in RecordedEvent["type"]]:
		| ((counting: Counting, event: EventOf<Type>, recorded: Recorded) => void)
		| typeof notCounted;
} & {
	readonly [Type in TransientEvent["type"]]:
		| ((counting: Counting, event: TransientEvent, passing: Passing) => void)
		| typeof notCounted;
};

const table: EventMetricTable = {
	"session.created": ({ recorder }) => recorder.count("parley_sessions_created_total", {}),
	"session.deleted": countDeletedSession,
	"session.closed": notCounted,
	"session.renamed": notCounted,
	"compaction.ended": notCounted,
	"user.message": countMessage,
	"assistant.message": countRun,
	"run.retrying": ({ recorder }, { model }) => recorder.count("parley_model_retries_total", { model }),
	"model.called": countModelCall,
	"usage.updated": notCounted,
	"budget.reached": countBudget,
	"context.compacted": ({ recorder }, { level }) => recorder.count("parley_compactions_total", { level }),
	"tool.started": notCounted,
	"tool.completed": countToolCall,
	"tool.failed": countToolCall,
	"todo.updated": notCounted,
	"command.started": notCounted,
	"command.ended": notCounted,
	"prompt.requested": openPrompt,
	"prompt.answered": (counting, { token, cancelled }, { at }) =>
		settlePrompt(counting, token, cancelled ? "refused" : "answered", at),
	"prompt.closed": (counting, { token, reason }, { at }) =>
		settlePrompt(counting, token, reason === "expired" ? "expired" : "closed", at),
	"prompt.voted": notCounted,
	"prompt.reminded": ({ recorder }) => recorder.count("parley_prompt_reminders_total", {}),
	"file.created": countFile,
	"grant.created": notCounted,
	"grant.ended": notCounted,
	"schedule.created": notCounted,
	"schedule.trigger": notCounted,
	"schedule.removed": notCounted,
	"skill.started": notCounted,
	"skill.step.started": notCounted,
	"skill.step.completed": notCounted,
	"skill.completed": notCounted,
	"task.created": ({ recorder }, { parentId }) =>
		recorder.count("parley_tasks_submitted_total", { kind: parentId === "" ? "task" : "worker" }),
	"task.started": notCounted,
	"task.progress": notCounted,
	"task.suspended": ({ recorder }) => recorder.count("parley_task_suspensions_total", {}),
	"task.resumed": notCounted,
	"task.completed": countCompletedTask,
	"task.failed": countFailedTask,
	"task.cancelled": ({ recorder }) => recorder.count("parley_tasks_ended_total", { outcome: "cancelled" }),
	// A worker is also a task, so the events of this task are counted instead.
	"worker.started": notCounted,
	"worker.phased": notCounted,
	"worker.completed": notCounted,
	"worker.failed": notCounted,
	"worker.exited": notCounted,
	"response.started": notCounted,
	"thinking.delta": notCounted,
	"arguments.started": notCounted,
	"arguments.delta": notCounted,
	"arguments.ended": notCounted,
	"calls.proposed": notCounted,
	"text.started": notCounted,
	"text.delta": notCounted,
	"text.ended": notCounted,
	"model.calling": notCounted,
	"model.replied": notCounted,
	"context.updated": notCounted,
	"tool.running": notCounted,
	"tool.progress": notCounted,
	"todo.shown": notCounted,
	"prompt.shown": notCounted,
};

/**
 * Returns the function that counts the events of all sessions. Labels are names that the operator knows, for
 * example of tools and models, and never ids or content. Only the tools in `tools` have their own series,
 * because a model may invent names. A run or prompt that began before the last start of the gateway is
 * counted at its end, without a duration.
 */
export function countEvents(
	recorder: MetricRecorder,
	tools: Iterable<string>,
): (event: SessionEvent) => void {
	const counting: Counting = { recorder, tools: new Set(tools), runs: new Map(), prompts: new Map() };
	return (session) => {
		const { event } = session;
		// An imported event was counted by the gateway on which it happened.
		if ("imported" in event && event.imported) return;
		// The cast is safe because the function for `event.type` accepts events of this type. TypeScript cannot relate
		// the two unions.
		const count = table[event.type] as
			| ((counting: Counting, event: SessionEvent["event"], session: SessionEvent) => void)
			| undefined;
		count?.(counting, event, session);
	};
}

function countDeletedSession(
	{ recorder, runs, prompts }: Counting,
	_event: unknown,
	{ sessionId }: Passing,
): void {
	recorder.count("parley_sessions_deleted_total", {});
	// No event ends the runs and prompts of a deleted session.
	for (const open of [runs, prompts]) {
		for (const [id, start] of open) if (start.sessionId === sessionId) open.delete(id);
	}
}

function countMessage(
	{ recorder, runs }: Counting,
	{ runId, steered, retryOf }: EventOf<"user.message">,
	{ sessionId, at }: Recorded,
): void {
	const kind = steered ? "steer" : retryOf === undefined ? "message" : "retry";
	recorder.count("parley_messages_total", { kind });
	if (!steered) runs.set(runId, { sessionId, at });
}

function countRun(
	{ recorder, runs }: Counting,
	{ runId, error }: EventOf<"assistant.message">,
	{ at }: Recorded,
): void {
	const outcome = error === "" ? "completed" : error === "cancelled" ? "cancelled" : "failed";
	recorder.count("parley_runs_total", { outcome });
	const start = runs.get(runId);
	if (start) recorder.observe("parley_run_duration_seconds", {}, (at - start.at) / 1000);
	runs.delete(runId);
}

function countModelCall({ recorder }: Counting, event: EventOf<"model.called">): void {
	const { usage } = event;
	const model = { provider: event.provider, model: event.model };
	recorder.count("parley_model_calls_total", {
		...model,
		outcome: event.error === "" ? "completed" : "failed",
	});
	recorder.observe("parley_model_call_duration_seconds", model, event.durationMs / 1000);
	recorder.count("parley_model_tokens_total", { ...model, kind: "input" }, usage.inputTokens);
	recorder.count("parley_model_tokens_total", { ...model, kind: "output" }, usage.outputTokens);
	recorder.count("parley_model_tokens_total", { ...model, kind: "cache_read" }, usage.cacheReadTokens);
	recorder.count("parley_model_tokens_total", { ...model, kind: "cache_write" }, usage.cacheWriteTokens);
	recorder.count("parley_model_cost_dollars_total", model, event.cost / 1e9);
}

function countBudget({ recorder }: Counting, { scope, period, percent }: EventOf<"budget.reached">): void {
	recorder.count("parley_budget_reached_total", { scope, period, percent: String(percent) });
}

function countToolCall(
	{ recorder, tools }: Counting,
	{ type, name, durationMs }: EventOf<"tool.completed"> | EventOf<"tool.failed">,
): void {
	const tool = tools.has(name) ? name : "other";
	const outcome = type === "tool.completed" ? "completed" : "failed";
	recorder.count("parley_tool_calls_total", { tool, outcome });
	if (durationMs !== undefined) recorder.observe("parley_tool_duration_seconds", { tool }, durationMs / 1000);
}

function openPrompt(
	{ prompts }: Counting,
	{ prompt: { token, type, approval } }: EventOf<"prompt.requested">,
	{ sessionId, at }: Recorded,
): void {
	prompts.set(token, { sessionId, at, type: approval ? "approval" : type });
}

function settlePrompt({ recorder, prompts }: Counting, token: string, outcome: string, at: number): void {
	const prompt = prompts.get(token);
	const type = prompt?.type ?? "unknown";
	recorder.count("parley_prompts_total", { type, outcome });
	if (prompt && outcome !== "closed") {
		recorder.observe("parley_prompt_wait_seconds", { type }, (at - prompt.at) / 1000);
	}
	prompts.delete(token);
}

function countFile({ recorder }: Counting, { file }: EventOf<"file.created">): void {
	recorder.count("parley_files_total", {});
	recorder.count("parley_file_bytes_total", {}, file.bytes);
}

function countCompletedTask({ recorder }: Counting, { durationMs }: EventOf<"task.completed">): void {
	recorder.observe("parley_task_duration_seconds", {}, durationMs / 1000);
	recorder.count("parley_tasks_ended_total", { outcome: "completed" });
}

function countFailedTask({ recorder }: Counting, { willRetry }: EventOf<"task.failed">): void {
	if (willRetry) recorder.count("parley_task_retries_total", {});
	else recorder.count("parley_tasks_ended_total", { outcome: "failed" });
}
