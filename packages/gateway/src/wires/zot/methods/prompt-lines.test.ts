import type { AssistantMessage, Recorded, SessionEvent, StopReason, TransientEvent } from "@parley/core";
import { expect, test } from "vitest";
import type { Notice } from "../schema.ts";
import { PromptLines, Tally } from "./prompt-lines.ts";

const runId = "run_1";
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 1 };
const place = { sessionId: "sess_1", seq: 1 };

function passing(event: TransientEvent): SessionEvent {
	return { ...place, transient: true, event };
}

function recorded(event: Recorded["event"]): SessionEvent {
	return { ...place, transient: false, id: "event_1", at: 0, event };
}

const facts = { runId, model: "m", provider: "p", messages: 1 };
const calling = passing({ type: "model.calling", ...facts });
const summarizing = passing({ type: "model.calling", ...facts, auxiliary: true });
const started = passing({ type: "text.started", runId });
const delta = (text: string) => passing({ type: "text.delta", runId, text });
const textEnded = passing({ type: "text.ended", runId });
const replied = (stop: StopReason | undefined, ...content: AssistantMessage["content"]) =>
	passing({ type: "model.replied", runId, content, stop });
const called = (error = "", spent = usage, run = runId) =>
	recorded({ type: "model.called", ...facts, runId: run, usage: spent, cost: 1_000, durationMs: 1, error });
const completed = (callId: string) =>
	recorded({ type: "tool.completed", runId, callId, name: "bash", result: "ok" });
const failed = (callId: string, error: string) =>
	recorded({ type: "tool.failed", runId, callId, name: "bash", error });
const ended = (error = "") =>
	recorded({ type: "assistant.message", runId, content: "", error, model: "m", usage });

const text = (content: string) => ({ type: "text", text: content }) as const;
const call = (id: string) => ({ type: "call", id, name: "bash", arguments: {} }) as const;

function linesOf(...events: readonly SessionEvent[]): string[] {
	const lines = new PromptLines(new Tally(), new AbortController().signal);
	return events.flatMap((event) => lines.receive(event)).map(brief);
}

function brief(notice: Notice): string {
	switch (notice.type) {
		case "turn_start":
			return `turn_start ${notice.step}`;
		case "turn_end":
			return `turn_end ${[notice.stop, ...(notice.error === undefined ? [] : [notice.error])].join(": ")}`;
		case "text_delta":
			return `+${notice.delta}`;
		case "tool_call":
		case "tool_progress":
			return `${notice.type} ${notice.id}`;
		case "tool_result":
			return `${notice.is_error ? "!" : ""}tool_result ${notice.id}`;
		case "usage":
			return notice.auxiliary ? "usage*" : "usage";
		case "error":
			return `error ${notice.message}`;
		default:
			return notice.type;
	}
}

const events = [calling, started, delta("a"), delta("b"), textEnded];
const replyLines = ["turn_start 1", "assistant_start", "+a", "+b", "usage", "assistant_message"];

test.each<[string, SessionEvent[], string[]]>([
	[
		"a whole reply",
		[...events, replied("end_turn", text("ab")), called(), ended()],
		[...replyLines, "turn_end end_turn", "done"],
	],
	[
		"a reply that was cut off: its end says so, and no error",
		[...events, replied("max_tokens", text("ab")), called(), ended("the reply was cut off")],
		[...replyLines, "turn_end length", "done"],
	],
	[
		"a refusal",
		[...events, replied("refusal", text("ab")), called(), ended("refused")],
		[
			...replyLines,
			"turn_end error: the model refused to answer this message: rephrase the message, or choose another model",
			"error refused",
			"done",
		],
	],
	[
		"a refusal without a word",
		[calling, replied("refusal"), called(), ended("refused")],
		[
			"turn_start 1",
			"usage",
			"turn_end error: the model refused to answer this message: rephrase the message, or choose another model",
			"error refused",
			"done",
		],
	],
	[
		"an abort while it speaks",
		[...events, replied(undefined, text("ab")), called("cancelled"), ended("cancelled")],
		[...replyLines, "turn_end aborted", "done"],
	],
	[
		"a reply of a provider that counts nothing",
		[...events, replied("end_turn", text("ab")), called("", noUsage), ended()],
		[...replyLines, "turn_end end_turn", "done"],
	],
	[
		"an abort while it speaks, before anything was counted",
		[...events, replied(undefined, text("ab")), called("cancelled", noUsage), ended("cancelled")],
		[...replyLines, "turn_end aborted", "done"],
	],
	[
		"an abort before it has said anything",
		[calling, replied(undefined), called("cancelled", noUsage), ended("cancelled")],
		["turn_start 1", "turn_end aborted", "done"],
	],
	[
		"an abort before the model was called",
		[ended("cancelled")],
		["turn_start 1", "turn_end aborted", "done"],
	],
	[
		"an abort that the model call did not live to tell",
		[calling, ended("cancelled")],
		["turn_start 1", "turn_end aborted", "done"],
	],
	[
		"a run that broke in its model call",
		[calling, ended("internal error")],
		["turn_start 1", "turn_end error: internal error", "error internal error", "done"],
	],
	[
		"a failure that was tried again, with what was said until then",
		[
			...[calling, delta("a"), replied(undefined, text("a")), called("overloaded")],
			...[calling, started, delta("ab"), replied("end_turn", text("ab")), called(), ended()],
		],
		[
			...[
				"turn_start 1",
				"assistant_start",
				"+a",
				"usage",
				"assistant_message",
				"turn_end error: overloaded",
			],
			...[
				"turn_start 2",
				"assistant_start",
				"+ab",
				"usage",
				"assistant_message",
				"turn_end end_turn",
				"done",
			],
		],
	],
	[
		"failures until the last",
		[
			...[calling, replied(undefined), called("overloaded", noUsage)],
			...[calling, replied(undefined), called("overloaded", noUsage), ended("overloaded")],
		],
		[
			...["turn_start 1", "turn_end error: overloaded", "turn_start 2", "turn_end error: overloaded"],
			...["error overloaded", "done"],
		],
	],
	[
		"calls",
		[
			...[calling, replied("tool_use", call("c1"), call("c2")), called()],
			...[
				passing({ type: "tool.progress", runId, callId: "c1", text: "x\n" }),
				completed("c1"),
				failed("c2", "no"),
			],
			...[calling, delta("a"), replied("end_turn", text("a")), called(), ended()],
		],
		[
			...["turn_start 1", "assistant_start", "usage", "assistant_message", "tool_call c1", "tool_call c2"],
			...["turn_end tool_use", "tool_progress c1", "tool_result c1", "!tool_result c2"],
			...["turn_start 2", "assistant_start", "+a", "usage", "assistant_message", "turn_end end_turn", "done"],
		],
	],
	[
		"an abort while a tool runs",
		[
			...[calling, replied("tool_use", call("c1"), call("c2")), called()],
			...[failed("c2", "cancelled"), failed("c1", "cancelled"), ended("cancelled")],
		],
		[
			...["turn_start 1", "assistant_start", "usage", "assistant_message", "tool_call c1", "tool_call c2"],
			...["turn_end tool_use", "!tool_result c1", "!tool_result c2"],
			...["turn_start 2", "turn_end aborted", "done"],
		],
	],
	[
		"an abort before the first of the calls has begun",
		[calling, replied("tool_use", call("c1"), call("c2")), called(), ended("cancelled")],
		[
			...["turn_start 1", "assistant_start", "usage", "assistant_message", "tool_call c1", "tool_call c2"],
			...["turn_end tool_use", "!tool_result c1", "!tool_result c2"],
			...["turn_start 2", "turn_end aborted", "done"],
		],
	],
	[
		"calls of a reply that broke off",
		[calling, replied(undefined, text("a"), call("c1")), called("gone"), ended("gone")],
		[
			...["turn_start 1", "assistant_start", "usage", "assistant_message"],
			...["turn_end error: gone", "error gone", "done"],
		],
	],
	[
		"a summary between two turns",
		[
			...[calling, replied("tool_use", call("c1")), called(), completed("c1")],
			...[summarizing, called(), calling, delta("a"), replied("end_turn", text("a")), called(), ended()],
		],
		[
			...[
				"turn_start 1",
				"assistant_start",
				"usage",
				"assistant_message",
				"tool_call c1",
				"turn_end tool_use",
			],
			...["tool_result c1", "usage*", "turn_start 2", "assistant_start", "+a", "usage", "assistant_message"],
			...["turn_end end_turn", "done"],
		],
	],
	["a call of no run", [called("", usage, "")], ["usage*"]],
	[
		"too many steps: told once, behind the last turn",
		[...events, replied("end_turn", text("ab")), called(), ended("too many model calls")],
		[...replyLines, "turn_end end_turn", "error too many model calls", "done"],
	],
])("%s", (_what, events, expected) => {
	expect(linesOf(...events)).toEqual(expected);
});

test("an abort between model calls is reported as an abort, and an abort after the last reply is not", () => {
	const abort = new AbortController();
	const linesOf = (...events: readonly SessionEvent[]): string[] => {
		const lines = new PromptLines(new Tally(), abort.signal);
		return events.flatMap((event) => lines.receive(event)).map(brief);
	};
	abort.abort();
	const run = [calling, replied("tool_use", call("c1")), called(), failed("c1", "cancelled")];
	expect(linesOf(...run, ended("stopped after 1 model calls")).slice(-3)).toEqual([
		...["turn_start 2", "turn_end aborted", "done"],
	]);
	const over = [...events, replied("end_turn", text("ab")), called(), ended()];
	expect(linesOf(...over)).toEqual([...replyLines, "turn_end end_turn", "done"]);
});

test("usage of calls is summed over prompts, and a call without usage is not reported", () => {
	const tally = new Tally();
	const first = new PromptLines(tally, new AbortController().signal).receive(called());
	const nothing = new PromptLines(tally, new AbortController().signal).receive(called("refused", noUsage));
	const second = new PromptLines(tally, new AbortController().signal).receive(called());
	const one = { input: 5, output: 5, cache_read: 4, cache_write: 1, cost_usd: 0.000_001 };
	const two = { input: 10, output: 10, cache_read: 8, cache_write: 2, cost_usd: 0.000_002 };
	expect(first).toEqual([{ type: "usage", ...one, cumulative: one, auxiliary: true }]);
	expect(nothing).toEqual([]);
	expect(second).toEqual([{ type: "usage", ...one, cumulative: two, auxiliary: true }]);
	expect(tally.counts).toEqual(two);
});
