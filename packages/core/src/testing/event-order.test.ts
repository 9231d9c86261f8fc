import { expect, test } from "vitest";
import type { RecordedEvent, SessionEvent } from "../vocabulary/event.ts";
import type { Prompt } from "../vocabulary/prompt.ts";
import type { TransientEvent } from "../vocabulary/transient-event.ts";
import { checkEventOrder } from "./event-order.ts";

const created: RecordedEvent = { type: "session.created" };
const user = (runId: string): RecordedEvent => ({ type: "user.message", runId, content: "" });
const end = (runId: string): RecordedEvent => {
	const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
	return { type: "assistant.message", runId, content: "", error: "", model: "", usage };
};
const started: RecordedEvent = { type: "tool.started", runId: "r", callId: "c", name: "t", arguments: {} };
const failed: RecordedEvent = { type: "tool.failed", runId: "r", callId: "c", name: "t", error: "" };
const prompt = (token: string, callId?: string): RecordedEvent => {
	const facts = { token, runId: "r", type: "text", label: "", required: true, options: [] } as const;
	const approval = {
		callId: callId ?? "",
		tool: "t",
		arguments: {},
		preview: "",
		risk: "normal",
		allowSession: false,
	} as const;
	const question: Prompt = { ...facts, validation: "", placeholder: "", expiresAt: 0 };
	return {
		type: "prompt.requested",
		prompt: callId === undefined ? question : { ...question, approval: { ...approval, notes: [] } },
	};
};
const closed: RecordedEvent = { type: "prompt.closed", token: "p", reason: "" };
const text: Record<"start" | "delta" | "end", TransientEvent> = {
	start: { type: "text.started", runId: "r" },
	delta: { type: "text.delta", runId: "r", text: "" },
	end: { type: "text.ended", runId: "r" },
};
const replied: TransientEvent = { type: "model.replied", runId: "r", content: [], stop: "end_turn" };
const asking = { runId: "r", model: "m", provider: "p", messages: 1 };
const calling: TransientEvent = { type: "model.calling", ...asking };
const called: RecordedEvent = {
	type: "model.called",
	...asking,
	cost: 0,
	durationMs: 0,
	error: "",
	usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};
const running: TransientEvent = { type: "tool.running", runId: "r", callId: "c" };
const progress: TransientEvent = { type: "tool.progress", runId: "r", callId: "c", text: "" };

function numbered(events: readonly (RecordedEvent | TransientEvent)[]): SessionEvent[] {
	let seq = 0;
	return events.map((event): SessionEvent => {
		if (isPassing(event)) return { transient: true, sessionId: "s", seq, event };
		seq += 1;
		return { transient: false, id: `e${seq}`, sessionId: "s", seq, at: 0, event };
	});
}

function isPassing(event: RecordedEvent | TransientEvent): event is TransientEvent {
	return /^(?:text\.|calls\.|prompt\.shown|tool\.(?:running|progress)|model\.(?:calling|replied))/.test(
		event.type,
	);
}

const complete = [
	created,
	user("r"),
	calling,
	text.start,
	text.delta,
	text.end,
	replied,
	called,
	started,
	progress,
	prompt("p", "c"),
	closed,
	failed,
	end("r"),
];

test("a complete session is in order, and so is every prefix of it", () => {
	const events = numbered(complete);
	checkEventOrder(events, true);
	for (let length = 0; length <= events.length; length++) checkEventOrder(events.slice(0, length));
});

test.each<[string, (RecordedEvent | TransientEvent)[]]>([
	["comes in the middle", [created, created]],
	["r was there already", [created, user("r"), user("r")]],
	["r is not open", [created, started]],
	["r was not open", [created, user("r"), end("r"), end("r")]],
	["calls without an end: c", [created, user("r"), started, end("r")]],
	["c was there already", [created, user("r"), started, failed, started]],
	["c was not open", [created, user("r"), failed]],
	["its call is not open", [created, user("r"), prompt("p", "c")]],
	[
		"q was not asked",
		[
			created,
			user("r"),
			started,
			{ type: "calls.proposed", runId: "r", calls: [{ callId: "c", name: "x", arguments: {}, token: "q" }] },
		],
	],
	["nothing is asked under its token", [created, closed]],
	["its text had no end", [created, user("r"), text.start, replied]],
	["the call of the reply before was not recorded", [created, user("r"), replied, replied]],
	["the call of its last reply was not recorded", [created, user("r"), replied, end("r")]],
	["the call of its last reply was not recorded", [created, user("r"), replied, started]],
	["c was not open", [created, user("r"), progress]],
	["c was not open", [created, user("r"), started, failed, running]],
	["c was not open", [created, user("r"), started, failed, progress]],
	["no text was started", [created, user("r"), text.delta]],
	["its text had no end", [created, user("r"), text.start, end("r")]],
])("a wrong order is found: %s", (fault, events) => {
	expect(() => checkEventOrder(numbered(events))).toThrow(fault);
});

test("numbers have no gaps and no repetitions", () => {
	const [first, second, third, ...rest] = numbered(complete);
	if (!first || !second || !third) throw new Error("too few events");
	expect(() => checkEventOrder([first, third, ...rest])).toThrow("seq");
	expect(() => checkEventOrder([first, first])).toThrow("has seq 1 instead of 2");
	expect(() => checkEventOrder([first, second, { ...third, seq: 1 }])).toThrow("has seq 1 instead of 2");
});

test("with `complete`, everything started must end", () => {
	const events = numbered([created, user("r"), started, prompt("p", "c"), text.start]);
	expect(() => checkEventOrder(events, true)).toThrow("never ended: r, c, p, the text of r");
});

test("a reply that could not be recorded is requested again", () => {
	checkEventOrder(numbered([created, user("r"), calling, replied, calling, replied, called, end("r")]), true);
});
