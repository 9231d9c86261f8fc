import { expect, test } from "vitest";
import { isOzzieEvent } from "./events.ts";
import type { EventFrame } from "./frame.ts";

function frame(event: string, payload: unknown): EventFrame {
	return { type: "event", event, session_id: "sess_1", payload, seq: 1 };
}

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
	["assistant.stream", { phase: "delta", content: "Hel", index: 0 }],
	["assistant.message", { content: "Hello", error: "", context: {} }],
	["tool.call", { status: "started", name: "run_command", arguments: { cmd: "ls" }, call_id: "call_1" }],
	["tool.call", { status: "completed", name: "run_command", result: "", call_id: "call_1" }],
	["tool.call", { status: "failed", name: "run_command", error: "denied", call_id: "call_1" }],
	["prompt.request", approval],
	["prompt.request", { ...approval, type: "text", context: {} }],
	["prompt.response", { token: "prompt_1", value: null, cancelled: false, by: "operator" }],
	["prompt.closed", { token: "prompt_1", reason: "expired" }],
])("%s with %j is an event of this version", (event, payload) => {
	expect(isOzzieEvent(frame(event, payload))).toBe(true);
});

test.each([
	["task.created", { task_id: "task_1" }],
	["constructor", {}],
	["user.message", { content: 5, run_id: "run_1" }],
	["user.message", null],
	["tool.call", { status: "started", name: "run_command", arguments: {} }],
	["tool.call", { status: "paused", name: "run_command", call_id: "call_1" }],
	["prompt.request", { ...approval, type: "date" }],
])("%s with %j is left to later versions", (event, payload) => {
	expect(isOzzieEvent(frame(event, payload))).toBe(false);
});

test("the name of an event narrows its payload", () => {
	const stream = frame("assistant.stream", { phase: "start", content: "", index: 0 });
	const phase =
		isOzzieEvent(stream) && stream.event === "assistant.stream" ? stream.payload.phase : undefined;
	expect(phase).toBe("start");
});
