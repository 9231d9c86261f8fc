import type { AssistantMessage, Recorded, SessionEvent, StopReason, TransientEvent } from "@parley/core";
import { expect, test } from "vitest";
import { type TurnEvent, Turns } from "./turns.ts";

const runId = "run_1";
const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 1 };
const place = { sessionId: "sess_1", seq: 1 };
const passing = (event: TransientEvent): SessionEvent => ({ ...place, transient: true, event });
const recorded = (event: Recorded["event"]): SessionEvent => ({
	...place,
	transient: false,
	id: "event_1",
	at: 7,
	event,
});

const facts = { runId, model: "m", provider: "p", messages: 1 };
const calling = passing({ type: "model.calling", ...facts });
const summarizing = passing({ type: "model.calling", ...facts, auxiliary: true });
const delta = (text: string) => passing({ type: "text.delta", runId, text });
const thinking = (text: string) => passing({ type: "thinking.delta", runId, text });
const replied = (stop: StopReason | undefined, ...content: AssistantMessage["content"]) =>
	passing({ type: "model.replied", runId, content, stop });
const called = (error = "") =>
	recorded({ type: "model.called", ...facts, usage, cost: 1_000, durationMs: 1, error });
const completed = (callId: string) =>
	recorded({ type: "tool.completed", runId, callId, name: "bash", result: "ok" });
const failed = (callId: string) =>
	recorded({ type: "tool.failed", runId, callId, name: "bash", error: "no" });
const ended = (error = "") =>
	recorded({ type: "assistant.message", runId, content: "", error, model: "m", usage });
const text = (content: string) => ({ type: "text", text: content }) as const;
const call = (id: string) => ({ type: "call", id, name: "bash", arguments: {} }) as const;

function turnsOf(...events: readonly SessionEvent[]): string[] {
	const turns = new Turns();
	return events.flatMap((event) => turns.receive(event)).map(brief);
}

function brief(event: TurnEvent): string {
	switch (event.type) {
		case "turn.started":
			return `turn.started ${event.step}`;
		case "text.delta":
		case "thinking.delta":
			return `${event.type} ${event.text}`;
		case "turn.replied":
			return `turn.replied ${event.reply.stop ?? event.reply.called.error}`;
		case "call.ended":
			return `${event.outcome.type} ${event.callId}`;
		case "run.ended":
			return `run.ended ${event.open ? "open" : "whole"}${event.error === "" ? "" : ` ${event.error}`}`;
		default:
			return event.type;
	}
}

test.each<[string, SessionEvent[], string[]]>([
	[
		"a reply with thinking and text is one turn",
		[calling, thinking("hm"), delta("a"), replied("end_turn", text("a")), called(), ended()],
		[
			...["turn.started 1", "reply.started", "thinking.delta hm", "text.delta a", "turn.replied end_turn"],
			"run.ended whole",
		],
	],
	[
		"results come in the order of the calls, then the end of all calls",
		[
			...[calling, replied("tool_use", call("c1"), call("c2"), call("c3")), called()],
			...[failed("c2"), completed("c1"), completed("c3")],
			...[calling, replied("end_turn", text("a")), called(), ended()],
		],
		[
			...["turn.started 1", "reply.started", "turn.replied tool_use"],
			...["tool.completed c1", "tool.failed c2", "tool.completed c3", "calls.ended"],
			...["turn.started 2", "reply.started", "turn.replied end_turn", "run.ended whole"],
		],
	],
	[
		"calls that never ran are reported at the end of the run, in their order",
		[
			...[calling, replied("tool_use", call("c1"), call("c2"), call("c3")), called()],
			...[failed("c2"), ended("cancelled")],
		],
		[
			...["turn.started 1", "reply.started", "turn.replied tool_use"],
			...["tool.not_run c1", "tool.failed c2", "tool.not_run c3", "calls.ended", "run.ended whole cancelled"],
		],
	],
	[
		"calls of a reply that broke off are not waited for",
		[calling, replied(undefined, call("c1")), called("gone"), ended("gone")],
		["turn.started 1", "reply.started", "turn.replied gone", "run.ended whole gone"],
	],
	[
		"a run can end inside a turn",
		[calling, ended("internal error")],
		["turn.started 1", "run.ended open internal error"],
	],
	[
		"a summary is no turn",
		[summarizing, called(), calling, replied("end_turn", text("a")), called(), ended()],
		["model.called", "turn.started 1", "reply.started", "turn.replied end_turn", "run.ended whole"],
	],
	["the result of an unknown call is reported at once", [completed("c9")], ["tool.completed c9"]],
])("%s", (_what, events, expected) => {
	expect(turnsOf(...events)).toEqual(expected);
});

test("a reply has its content, its time and its usage", () => {
	const turns = new Turns();
	const events = [calling, replied("end_turn", text("a")), called()].flatMap((event) => turns.receive(event));
	expect(events.at(-1)).toMatchObject({
		reply: { content: [text("a")], stop: "end_turn", at: 7, called: { usage, cost: 1_000 } },
	});
	expect([turns.step, turns.isInText]).toEqual([1, true]);
});
