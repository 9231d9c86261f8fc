import { expect, test } from "vitest";
import { isOzzieEvent } from "./events.ts";
import type { EventFrame } from "./frame.ts";

function frame(event: string, payload: unknown): EventFrame {
	return { type: "event", event, session_id: "sess_1", payload, seq: 1 };
}

const used = {
	tokens_input: 12,
	tokens_output: 3,
	tokens_cache_read: 8,
	tokens_cache_write: 0,
	cost_usd: 0.000_000_001,
};
const modelCall = {
	phase: "end",
	run_id: "run_1",
	model: "m",
	provider: "p",
	message_count: 1,
	...used,
	duration: 3_200_000_000,
	error: "",
};
const retrying = { run_id: "run_1", reason: "overloaded", in_ms: 1_000, attempt: 1, model: "m" };
const budget = {
	scope: "session",
	period: "day",
	percent: 80,
	spent_usd: 0.8,
	limit_usd: 1,
	message: "80 % of it is spent",
};
const compacted = { run_id: "run_1", level: "summary", tokens_before: 9_000, tokens_after: 1_000, error: "" };

const approval = {
	type: "confirm",
	label: "run ls",
	token: "prompt_1",
	required: true,
	options: [],
	default: null,
	placeholder: "",
	validation: "",
	context: { call_id: "call_1", tool: "run_command", arguments: { cmd: "ls" }, risk: "normal", notes: [] },
};

test.each([
	["session.created", {}],
	["session.closed", { later: 1 }],
	["user.message", { content: "hi", run_id: "run_1" }],
	["user.message", { content: "hi", run_id: "run_1", author: { id: "u1", name: "Ada" } }],
	["user.message", { content: "hi", run_id: "run_1", steered: true }],
	["user.message", { content: "hi", run_id: "run_2", retry_of: "run_1" }],
	["assistant.stream", { phase: "delta", content: "Hel", index: 0 }],
	["assistant.message", { content: "Hello", error: "", context: {} }],
	["assistant.message", { content: "Hello", error: "", context: { model: "m", usage: used } }],
	["assistant.message", { content: "Hello", error: "", context: { model: "m", later: [] } }],
	["internal.llm.call", modelCall],
	["internal.llm.call", { ...modelCall, phase: "start" }],
	["run.retrying", retrying],
	["usage.updated", { run_id: "run_1", run: used, session: used }],
	["budget.reached", budget],
	["context.compacted", compacted],
	["tool.call", { status: "started", name: "run_command", arguments: { cmd: "ls" }, call_id: "call_1" }],
	["tool.call", { status: "completed", name: "run_command", result: "", call_id: "call_1" }],
	["tool.call", { status: "failed", name: "run_command", error: "denied", call_id: "call_1" }],
	["prompt.request", approval],
	["prompt.request", { ...approval, type: "text", context: {} }],
	["prompt.response", { token: "prompt_1", value: null, cancelled: false, by: "operator" }],
	["prompt.closed", { token: "prompt_1", reason: "expired" }],
	["prompt.closed", { token: "prompt_1", reason: "cancelled", by: "operator" }],
	["task.started", { task_id: "task_1", title: "t" }],
	["internal.worker", { task_id: "task_1", event: "phase", phase: "waiting" }],
])("%s with %j is an event of this version", (event, payload) => {
	expect(isOzzieEvent(frame(event, payload))).toBe(true);
});

test.each([
	["task.created", { task_id: "task_1" }],
	["task.failed", { task_id: "task_1", title: "t", error: "e", retry_count: 1, will_retry: "yes" }],
	["internal.worker", { task_id: "task_1", event: "promoted" }],
	["constructor", {}],
	["user.message", { content: 5, run_id: "run_1" }],
	["user.message", null],
	["user.message", { content: "hi", run_id: "run_1", steered: false }],
	["assistant.message", { content: "", error: "", context: { model: 5 } }],
	["internal.llm.call", { ...modelCall, phase: "middle" }],
	["internal.llm.call", { ...modelCall, duration: 0.5 }],
	["usage.updated", { run_id: "run_1", run: used }],
	["budget.reached", { ...budget, period: "year" }],
	["context.compacted", { ...compacted, tokens_after: -1 }],
	["tool.call", { status: "started", name: "run_command", arguments: {} }],
	["tool.call", { status: "paused", name: "run_command", call_id: "call_1" }],
	["prompt.request", { ...approval, type: "date" }],
])("%s with %j is reserved for later versions", (event, payload) => {
	expect(isOzzieEvent(frame(event, payload))).toBe(false);
});

test("the name of an event narrows its payload", () => {
	const stream = frame("assistant.stream", { phase: "start", content: "", index: 0 });
	const phase =
		isOzzieEvent(stream) && stream.event === "assistant.stream" ? stream.payload.phase : undefined;
	expect(phase).toBe("start");
});
