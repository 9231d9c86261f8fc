import type { TaskEvent, WorkerEvent } from "@parley/core";
import { isOzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { decodeEventName, encodeEvent } from "./event-json.ts";

const task = { taskId: "task_1", title: "Refactor auth" };
const shown = { task_id: "task_1", title: "Refactor auth" };
const seen = {
	tokens_input: 1_200,
	tokens_output: 3_400,
	tokens_cache_read: 7,
	tokens_cache_write: 8,
	cost_usd: 0.000_000_009,
};
const usage = { inputTokens: 1_200, outputTokens: 3_400, cacheReadTokens: 7, cacheWriteTokens: 8, cost: 9 };

type Rows<Event extends { readonly type: string }> = {
	readonly [Type in Event["type"]]: readonly [
		event: Extract<Event, { type: Type }>,
		name: string,
		payload: object,
	];
};

/** Events with their payloads. A type without its payload fails to compile. */
const encoded: Rows<TaskEvent | WorkerEvent> = {
	"task.created": [
		{ type: "task.created", ...task, description: "Split it", parentId: "", by: "operator" },
		"task.created",
		{ ...shown, description: "Split it", parent_id: "", by: "operator" },
	],
	"task.started": [{ type: "task.started", ...task }, "task.started", shown],
	"task.progress": [
		{
			type: "task.progress",
			taskId: "task_1",
			usage,
			progress: { current: 2, total: 5, label: "Running tests", percentage: 40 },
		},
		"task.progress",
		{
			task_id: "task_1",
			current_step: 2,
			total_steps: 5,
			current_step_label: "Running tests",
			percentage: 40,
			usage: seen,
		},
	],
	"task.suspended": [
		{
			type: "task.suspended",
			...task,
			reason: "a schema change",
			suspendCount: 1,
			content: "I propose…",
			token: "review_1",
			usage,
		},
		"task.suspended",
		{
			...shown,
			reason: "a schema change",
			suspend_count: 1,
			plan_content: "I propose…",
			token: "review_1",
			usage: seen,
		},
	],
	"task.resumed": [{ type: "task.resumed", ...task }, "task.resumed", shown],
	"task.completed": [
		{ type: "task.completed", ...task, summary: "3 modules", durationMs: 45_000.000_000_4, usage },
		"task.completed",
		{
			...shown,
			output_summary: "3 modules",
			duration: 45_000_000_000,
			tokens_input: 1_200,
			tokens_output: 3_400,
			usage: seen,
		},
	],
	"task.failed": [
		{ type: "task.failed", ...task, error: "overloaded", retryCount: 1, willRetry: true, usage },
		"task.failed",
		{ ...shown, error: "overloaded", retry_count: 1, will_retry: true, usage: seen },
	],
	"task.cancelled": [
		{ type: "task.cancelled", taskId: "task_1", reason: "no longer needed", by: "operator", usage },
		"task.cancelled",
		{ task_id: "task_1", reason: "no longer needed", by: "operator", usage: seen },
	],
	"worker.started": [
		{ type: "worker.started", ...task, parentId: "", agent: "default" },
		"internal.worker",
		{ ...shown, event: "started", parent_id: "", agent: "default" },
	],
	"worker.phased": [
		{ type: "worker.phased", taskId: "task_1", phase: "acting" },
		"internal.worker",
		{ task_id: "task_1", event: "phase", phase: "acting" },
	],
	"worker.completed": [
		{ type: "worker.completed", taskId: "task_1", summary: "done" },
		"internal.worker",
		{ task_id: "task_1", event: "completed", output_summary: "done" },
	],
	"worker.failed": [
		{ type: "worker.failed", taskId: "task_1", error: "no" },
		"internal.worker",
		{ task_id: "task_1", event: "failed", error: "no" },
	],
	"worker.exited": [
		{ type: "worker.exited", taskId: "task_1" },
		"internal.worker",
		{ task_id: "task_1", event: "exited" },
	],
};

const place = { sessionId: "sess_1", seq: 7, id: "evt_1", at: 0, transient: false } as const;

test.each(Object.values(encoded))("$type becomes one frame of the protocol", (event, name, payload) => {
	const frame = encodeEvent({ ...place, event });
	expect(frame).toEqual({ type: "event", event: name, session_id: "sess_1", payload, seq: 7 });
	expect(isOzzieEvent(frame)).toBe(true);
	expect(decodeEventName(name)).toContain(event.type);
});

test("events of an earlier version have no usage", () => {
	const event = { type: "task.cancelled", taskId: "task_1", reason: "no longer needed" } as const;
	const payload = { task_id: "task_1", reason: "no longer needed" };
	expect(encodeEvent({ ...place, event }).payload).toEqual(payload);
});

test("a duration above the exact nanoseconds is still encoded", () => {
	const durationMs = 365 * 24 * 60 * 60 * 1_000;
	const event = { type: "task.completed", ...task, summary: "", durationMs, usage } as const;
	expect(isOzzieEvent(encodeEvent({ ...place, event }))).toBe(true);
});
