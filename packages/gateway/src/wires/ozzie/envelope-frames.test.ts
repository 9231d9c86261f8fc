import { parseJson } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import type { Prompt, RecordedEvent, SessionEvent } from "@parley/core";
import { isOzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import * as z from "zod";
import { largestEvents, largestTransientEvents } from "../../testing/largest-events.ts";
import { isWireEvent } from "../shared/wire-event.ts";
import type { OzzieEvent } from "./codec.ts";
import { capStrings, EnvelopeFrames, envelopeAnswer } from "./envelope-frames.ts";

const limit = 32_768;

const Frame = z.object({
	type: z.string(),
	event: z.string(),
	session_id: z.string(),
	seq: z.int(),
	payload: z.looseObject({ payload: z.record(z.string(), z.unknown()) }),
});

/** Returns the payloads of WebSocket messages, which must be unmasked, unfragmented, and at most 64 KiB each. */
function messagesIn(bytes: Buffer): Buffer[] {
	const messages: Buffer[] = [];
	for (let at = 0; at < bytes.length; ) {
		const short = bytes.readUInt8(at + 1);
		const [start, length] = short < 126 ? [2, short] : [4, bytes.readUInt16BE(at + 2)];
		expect(short).toBeLessThan(127);
		expect(start + length).toBeLessThanOrEqual(limit);
		messages.push(bytes.subarray(at + start, at + start + length));
		at += start + length;
	}
	return messages;
}

function decoded(frames: EnvelopeFrames, event: OzzieEvent) {
	return messagesIn(frames.frame(event)).map((message) => {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(message);
		return Frame.parse(parseJson(text));
	});
}

function recorded(event: RecordedEvent, seq = 7): OzzieEvent {
	return { transient: false, id: "evt_7", sessionId: "sess_a", seq, at: 86_400_000, event };
}

function only(event: RecordedEvent) {
	const [frame, ...others] = decoded(new EnvelopeFrames(new ManualClock()), recorded(event));
	expect(others).toEqual([]);
	if (!frame) throw new Error("no frame");
	const { payload: nested, id, session_id, type, timestamp, source, ...flat } = frame.payload;
	// Both copies of a field are cut in the same way.
	for (const [key, value] of Object.entries(flat)) expect(nested[key], key).toEqual(value);
	expect([id, session_id, timestamp, source].map((value) => typeof value)).toEqual(Array(4).fill("string"));
	expect(type).toBe(nested["type"] ?? frame.event);
	return nested;
}

const call = { runId: "run_1", callId: "call_1", name: "read_file" };
const full: Prompt = {
	token: "prompt_1",
	runId: "run_1",
	type: "confirm",
	label: "Allow?",
	required: true,
	options: [],
	validation: "",
	placeholder: "",
	expiresAt: 0,
};

test("an event has flat fields, the fields of the envelope, and the payload again", () => {
	const [frame] = decoded(
		new EnvelopeFrames(new ManualClock()),
		recorded({ type: "tool.completed", ...call, result: "ok" }),
	);
	const flat = { status: "completed", name: "read_file", result: "ok", call_id: "call_1" };
	expect(frame).toEqual({
		type: "event",
		event: "tool.call",
		session_id: "sess_a",
		seq: 7,
		payload: {
			id: "evt_7",
			session_id: "sess_a",
			type: "tool.call",
			timestamp: "1970-01-02T00:00:00.000Z",
			source: "agent",
			payload: flat,
			...flat,
		},
	});
});

test("the flat field takes precedence over a field of the envelope", () => {
	expect(only({ type: "prompt.requested", prompt: { ...full, type: "text" } })["type"]).toBe("text");
});

const shownCall = {
	callId: "call_1",
	tool: "write",
	arguments: {},
	preview: "",
	notes: [],
	allowSession: false,
};

test("an approval that is always required is a select with a default, also when it is repeated", () => {
	const prompt = { ...full, approval: { ...shownCall, risk: "critical" as const } };
	const shown: OzzieEvent = {
		transient: true,
		sessionId: "sess_a",
		seq: 9,
		event: { type: "prompt.shown", prompt },
	};
	const [again] = decoded(new EnvelopeFrames(new ManualClock()), shown);
	for (const payload of [only({ type: "prompt.requested", prompt }), again?.payload]) {
		expect(payload).toMatchObject({ type: "select", default: "deny", required: true, label: "Allow?" });
		expect(payload).toMatchObject({ options: [{ value: "deny" }, { value: "approve" }] });
	}
	const normal = { ...full, approval: { ...shownCall, risk: "normal" as const } };
	expect(only({ type: "prompt.requested", prompt: normal })).toMatchObject({ type: "confirm", options: [] });
});

test("a frame is encoded once for all clients, and transient events have their own ids", () => {
	const frames = new EnvelopeFrames(new ManualClock(5_000));
	const delta = (): OzzieEvent => ({
		transient: true,
		sessionId: "sess_a",
		seq: 3,
		event: { type: "text.delta", runId: "r", text: "Hi" },
	});
	const first = delta();
	expect(frames.frame(first)).toBe(frames.frame(first));
	const ids = [first, delta()].flatMap((event) => decoded(frames, event).map(({ payload }) => payload["id"]));
	expect(new Set(ids).size).toBe(2);
	expect(decoded(frames, delta())[0]?.payload["timestamp"]).toBe("1970-01-01T00:00:05.000Z");
});

test.each([
	["letters", "x"],
	["families", "👨‍👩‍👧‍👦"],
	["control characters", "\u0001"],
])("a result of 200 KiB of %s is cut with a note, and fills its frame", (_, unit) => {
	const result = unit.repeat(200 * 1_024);
	const text = String(only({ type: "tool.completed", ...call, result })["result"]);
	const [, valid = "", missing] =
		/^(.*) … \[(\d+) more characters: load_messages \{"seq":7\}\]$/s.exec(text) ?? [];
	expect(valid.length + Number(missing)).toBe(result.length);
	expect(result.startsWith(valid.slice(0, -1))).toBe(true);
	expect(valid.length % unit.length).toBe(0);
	const size = Buffer.byteLength(JSON.stringify(valid));
	expect(size).toBeGreaterThan(14_000);
});

test("long strings of arguments are cut at their place, and short ones stay", () => {
	const { arguments: shown } = only({
		type: "tool.started",
		...call,
		arguments: { path: "a.txt", deep: { list: [1, "y".repeat(100_000)] } },
	});
	expect(shown).toEqual({
		path: "a.txt",
		deep: {
			list: [1, expect.stringMatching(/^y{1000,} … \[\d+ more characters: load_messages \{"seq":7\}\]$/)],
		},
	});
});

test("arguments with very many parts are replaced by an object", () => {
	const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key${n}`, n]));
	const { arguments: shown, name } = only({ type: "tool.started", ...call, arguments: many });
	expect(shown).toEqual({
		"…": expect.stringMatching(/^… \[\d+ more characters: load_messages \{"seq":7\}\]$/),
	});
	expect(name).toBe("read_file");
	expect(only({ type: "tool.started", ...call, arguments: [1, 2] })["arguments"]).toEqual({ raw: "[1,2]" });
});

test("a prompt with large arguments, preview, notes and options keeps its token and all of its keys", () => {
	const options = Array.from({ length: 300 }, (_, n) => ({
		value: `v${n}`,
		label: "l".repeat(300),
		description: "d".repeat(300),
		disabled: false,
	}));
	const approval = {
		callId: "call_1",
		tool: "write",
		arguments: { content: "c".repeat(200_000) },
		preview: "+".repeat(200_000),
		risk: "normal" as const,
		allowSession: true,
		notes: Array<string>(2_000).fill("note"),
	};
	const prompt: Prompt = { ...full, label: "L".repeat(100_000), options, approval };
	const nested = only({ type: "prompt.requested", prompt });
	expect(nested).toMatchObject({ token: "prompt_1", type: "confirm", required: true, default: null });
	expect(Object.keys(Object(nested["context"])).sort()).toEqual([
		...["allow_session", "arguments", "call_id", "expires_at", "notes", "preview", "risk", "tool"],
	]);
	for (const option of z.array(z.object({ value: z.string() })).parse(nested["options"]))
		expect(options.map(({ value }) => value)).toContain(option.value);
});

test.each([
	["letters", "x"],
	["control characters", "\u0001"],
	["emoji", "👍"],
])("the largest event of each type fits in a frame and stays valid: %s", (_, unit) => {
	const text = unit.repeat(12_000);
	const at = { sessionId: "sess_a", seq: 7 };
	const events: readonly SessionEvent[] = [
		...largestEvents(text).map((event) => ({ transient: false as const, id: "evt_7", at: 0, ...at, event })),
		...largestTransientEvents(text).map((event) => ({ transient: true as const, ...at, event })),
	];
	const frames = new EnvelopeFrames(new ManualClock());
	for (const event of events.filter(isWireEvent)) {
		const [frame, ...others] = decoded(frames, event);
		expect(others).toEqual([]);
		if (!frame) throw new Error("no frame");
		const valid = isOzzieEvent({ ...frame, type: "event", payload: frame.payload.payload });
		expect(valid, event.event.type).toBe(true);
	}
});

test("a refused message and a check of a person fit in a frame", () => {
	const text = "\u0001".repeat(12_000);
	const place = { platform: text, tenant: text, channel: text, thread: text, shared: true };
	const check = { id: text, sessionId: "sess_a", user: text, place };
	const at = { transient: true, sessionId: "sess_a", seq: 9 } as const;
	const events: readonly OzzieEvent[] = [
		{ ...at, event: { type: "message.refused", error: text } },
		{ ...at, event: { type: "person.check", check } },
	];
	const frames = new EnvelopeFrames(new ManualClock());
	for (const event of events) expect(decoded(frames, event)).toHaveLength(1);
});

test("a long text is sent in complete pieces", () => {
	const text = `${"a".repeat(50_000)}${"👨‍👩‍👧‍👦".repeat(10_000)}${"\u0001".repeat(20_000)}`;
	const event: OzzieEvent = {
		transient: true,
		sessionId: "sess_a",
		seq: 3,
		event: { type: "text.delta", runId: "r", text },
	};
	const pieces = decoded(new EnvelopeFrames(new ManualClock()), event);
	expect(pieces.length).toBeGreaterThan(1);
	expect(pieces.map(({ payload }) => payload.payload["content"]).join("")).toBe(text);
	for (const { seq, payload } of pieces) expect([seq, payload["phase"]]).toEqual([3, "delta"]);
});

test("a cut transient frame refers to the history", () => {
	const event: OzzieEvent = {
		transient: true,
		sessionId: "sess_a",
		seq: 9,
		event: { type: "prompt.shown", prompt: { ...full, label: "L".repeat(100_000) } },
	};
	const [frame] = decoded(new EnvelopeFrames(new ManualClock()), event);
	expect(frame?.payload["label"]).toMatch(/^L+ … \[\d+ more characters: GET \/api\/events\]$/);
});

const Answer = z.object({
	id: z.string().optional(),
	ok: z.boolean(),
	payload: z.unknown().optional(),
	error: z.string().optional(),
});

function answerOf(payload: unknown) {
	const [message, ...others] = messagesIn(envelopeAnswer({ type: "res", id: "1", ok: true, payload }));
	expect(others).toEqual([]);
	return Answer.parse(parseJson(message?.toString("utf8") ?? ""));
}

test("a list that is too long is shortened, with the number of missing items", () => {
	const sessions = Array.from({ length: 1_000 }, (_, n) => ({
		session_id: `sess_${n}`,
		title: "t".repeat(150),
	}));
	const { payload } = answerOf({ sessions });
	const shown = z.object({ sessions: z.array(z.unknown()), more: z.int() }).parse(payload);
	expect(shown.sessions).toEqual(sessions.slice(0, shown.sessions.length));
	expect(shown.sessions.length + shown.more).toBe(1_000);
	expect(JSON.stringify(payload).length).toBeGreaterThan(30_000);
});

test("a response with long texts keeps its keys, and one that cannot fit becomes an error", () => {
	const explained = answerOf({
		heard: { content: "é".repeat(1_000_000) },
		calls: [{ name: "x" }],
		state: "ended",
	});
	expect(explained.payload).toMatchObject({
		heard: { content: expect.stringMatching(/^é+ … \[\d+ more characters: load_messages\]$/) },
		calls: [{ name: "x" }],
		state: "ended",
	});
	const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key${n}`, n]));
	expect(answerOf(keys)).toMatchObject({
		id: "1",
		ok: false,
		error: expect.stringMatching(/^not available: /),
	});
	expect(answerOf({ status: "sent" })).toEqual({ id: "1", ok: true, payload: { status: "sent" } });
});

test("an error is cut as well", () => {
	const [message] = messagesIn(
		envelopeAnswer({ type: "res", ok: false, error: `forbidden: ${"x".repeat(99_999)}` }),
	);
	expect(message?.toString()).toMatch(/^\{"type":"res","ok":false,"error":"forbidden: x+"\}$/);
});

test("all strings of a value are cut at any depth, with the number of missing characters", () => {
	const mark = (missing: number): string => `…${missing}`;
	const long = "x".repeat(20);
	const value = { a: long, b: [long, 1, null, { c: "short", d: long }], e: true };
	const cut = "xxxxxxxxxx…10";
	expect(capStrings(value, 10, mark)).toEqual({ a: cut, b: [cut, 1, null, { c: "short", d: cut }], e: true });
	expect(capStrings("12345678901", 10, mark)).toBe("12345678901");
});
