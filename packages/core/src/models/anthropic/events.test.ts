import { expect, test } from "vitest";
import type { ModelEvent } from "../../vocabulary/model.ts";
import { ReplyEvents } from "./events.ts";

const begin = {
	type: "message_start",
	message: { model: "claude-x-1", usage: { input_tokens: 10, output_tokens: 1 } },
};
const stop = (reason: unknown, usage: unknown = { output_tokens: 20 }) => ({
	type: "message_delta",
	delta: { stop_reason: reason },
	usage,
});
const end = { type: "message_stop" };

const open = (index: number, content: object) => ({
	type: "content_block_start",
	index,
	content_block: content,
});
const piece = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const close = (index: number) => ({ type: "content_block_stop", index });

const text = (index: number, ...texts: string[]) => [
	open(index, { type: "text", text: "" }),
	...texts.map((part) => piece(index, { type: "text_delta", text: part })),
	close(index),
];
const call = (index: number, json: string, { id = `toolu_${index}`, name = "read_file" } = {}) => [
	open(index, { type: "tool_use", id, name, input: {} }),
	...(json.match(/[\s\S]{1,3}/g) ?? []).map((partial_json) =>
		piece(index, { type: "input_json_delta", partial_json }),
	),
	close(index),
];

const usage = (outputTokens: number) => ({
	inputTokens: 10,
	outputTokens,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
});

function replyOf(...events: unknown[]) {
	const reply = new ReplyEvents({ host: "api.example.org", model: "claude-x", now: 0 });
	const parts = events.flatMap((event) => reply.receive(event));
	return { parts, finished: reply.finished, isCorrected: reply.isCorrected };
}

function contentOf(...events: unknown[]) {
	const { parts } = replyOf(begin, ...events.flat(), stop("tool_use"), end);
	return parts.flatMap((part): readonly ModelEvent[] => {
		if (part.type === "call") {
			const { index: _, ...call } = part;
			return [call];
		}
		return part.type === "text" || part.type === "thinking" ? [part] : [];
	});
}

function callEvents(...events: unknown[]) {
	const { parts } = replyOf(begin, ...events.flat(), stop("tool_use"), end);
	return parts.filter(({ type }) => type.startsWith("call"));
}

test("calls are streamed as they are written, with their final name, id and index", () => {
	const blank = { id: "" };
	expect(callEvents(call(0, '{"p":1}'), call(1, "", blank))).toEqual([
		{ type: "call.started", index: 0, id: "toolu_0", name: "read_file" },
		{ type: "call.delta", index: 0, json: '{"p' },
		{ type: "call.delta", index: 0, json: '":1' },
		{ type: "call.delta", index: 0, json: "}" },
		{ type: "call.ended", index: 0 },
		{ type: "call", index: 0, id: "toolu_0", name: "read_file", arguments: { p: 1 } },
		{ type: "call.started", index: 1, id: "call_1", name: "read_file" },
		{ type: "call.ended", index: 1 },
		{ type: "call", index: 1, id: "call_1", name: "read_file", arguments: {} },
	]);
});

test("a reply is streamed in pieces, with its usage at the start and at the end", () => {
	const { parts, finished, isCorrected } = replyOf(begin, ...text(0, "Hel", "lo"), stop("end_turn"), end);
	expect(parts).toEqual([
		{ type: "usage", usage: usage(1), model: "claude-x-1" },
		{ type: "text", text: "Hel" },
		{ type: "text", text: "lo" },
		{ type: "usage", usage: usage(20), model: "claude-x-1" },
		{ type: "end", stop: "end_turn", usage: usage(20), model: "claude-x-1" },
	]);
	expect({ finished, isCorrected }).toEqual({ finished: true, isCorrected: false });
});

test("thinking keeps its signature, also if its text is hidden", () => {
	const thought = [
		open(0, { type: "thinking", thinking: "", signature: "" }),
		piece(0, { type: "thinking_delta", thinking: "hmm" }),
		piece(0, { type: "signature_delta", signature: "sig-0" }),
		close(0),
		open(1, { type: "thinking", thinking: "", signature: "" }),
		piece(1, { type: "signature_delta", signature: "sig-1" }),
		close(1),
		open(2, { type: "redacted_thinking", data: "secret" }),
		close(2),
		open(3, { type: "thinking", thinking: "aloud", signature: "" }),
		close(3),
	];
	expect(contentOf(thought)).toEqual([
		{ type: "thinking", text: "hmm" },
		{ type: "thinking", text: "", signature: "sig-0" },
		{ type: "thinking", text: "", signature: "sig-1" },
		{ type: "thinking", text: "", redacted: "secret" },
		{ type: "thinking", text: "aloud" },
	]);
});

test("a call is passed on complete, at its position", () => {
	expect(contentOf(text(0, "first"), call(1, '{"path":"a"}'), text(2, "then"), call(3, ""))).toEqual([
		{ type: "text", text: "first" },
		{ type: "call", id: "toolu_1", name: "read_file", arguments: { path: "a" } },
		{ type: "text", text: "then" },
		{ type: "call", id: "toolu_3", name: "read_file", arguments: {} },
	]);
});

test("blocks may overlap, as some servers close all of them at the end", () => {
	const [openText, delta, closeText] = text(0, "hi");
	const one = call(1, '{"n":1}');
	const two = call(2, '{"n":2}');
	const mixed = [
		openText,
		delta,
		...one.slice(0, -1),
		...two.slice(0, -1),
		closeText,
		one.at(-1),
		two.at(-1),
	];
	expect(contentOf(mixed)).toMatchObject([
		{ type: "text", text: "hi" },
		{ type: "call", arguments: { n: 1 } },
		{ type: "call", arguments: { n: 2 } },
	]);
});

test("some servers send the whole input at once", () => {
	const complete = open(0, { type: "tool_use", id: "a", name: "read_file", input: { path: "a" } });
	expect(contentOf(complete, close(0))).toMatchObject([{ arguments: { path: "a" } }]);
});

const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;

test.each([
	["cut off", '{"path":"a', "text is not JSON"],
	["not JSON", "path = a", "text is not JSON"],
	["a list", "[1]", "they are not a JSON object"],
	["a text", '"a"', "they are not a JSON object"],
	["null", "null", "they are not a JSON object"],
	["blank", "  ", "text is not JSON"],
	["a key twice", '{"path":"a","path":"b"}', 'JSON text contains the key "path" twice in one object'],
	["too deep", deep(64), "JSON text contains more than 64 levels of lists and objects"],
	["a prototype", '{"__proto__":{}}', 'JSON text contains the key "__proto__"'],
])("unusable arguments make the call invalid: %s", (_name, json, reason) => {
	const invalid = `the arguments cannot be used: ${reason}; correct the arguments, and repeat the call`;
	expect(contentOf(call(0, json))).toEqual([
		{ type: "call", id: "toolu_0", name: "read_file", arguments: {}, invalid },
	]);
});

test("arguments larger than any reply are not kept", () => {
	const parts = [
		open(0, { type: "tool_use", id: "a", name: "write_file", input: {} }),
		...Array.from({ length: 10 }, () =>
			piece(0, { type: "input_json_delta", partial_json: "x".repeat(1 << 19) }),
		),
		close(0),
	];
	expect(contentOf(parts)).toMatchObject([
		{
			arguments: {},
			invalid:
				"the arguments cannot be used: they have more than 4194304 characters, the maximum; correct the arguments, and repeat the call",
		},
	]);
});

test("a complete input is checked like any other", () => {
	let input: unknown = {};
	for (let level = 0; level < 100_000; level++) input = [input];
	const complete = open(0, { type: "tool_use", id: "a", name: "read_file", input });
	expect(contentOf(complete, close(0))).toMatchObject([{ arguments: {}, invalid: expect.any(String) }]);
});

test.each([
	["no name", { name: "" }, "the call has no tool name: repeat it with the name of a tool"],
	[
		"a name without end",
		{ name: "x".repeat(129) },
		"the tool's name is longer than 128 characters: use the name of an available tool",
	],
])("a call needs a name: %s", (_name, named, invalid) => {
	expect(contentOf(call(0, "{}", named))).toMatchObject([{ invalid, arguments: {} }]);
});

test("a repeated id makes a call invalid, and an empty id is replaced", () => {
	const same = { id: "same" };
	const blank = { id: "" };
	const calls = contentOf(call(0, "{}", same), call(1, "{}", same), call(2, "{}", blank));
	expect(calls).toMatchObject([
		{ id: "same" },
		{ id: "same", invalid: "another call of this reply has the same id: repeat the call" },
		{ id: "call_2" },
	]);
	expect(calls[0]).not.toHaveProperty("invalid");
	expect(calls[2]).not.toHaveProperty("invalid");
});

test("the first eight of hundreds of calls may run", () => {
	const calls = contentOf(...Array.from({ length: 500 }, (_, index) => call(index, "{}")));
	expect(calls).toHaveLength(500);
	const usable = calls.filter((part) => part.type === "call" && part.invalid === undefined);
	expect(usable).toEqual(calls.slice(0, 8));
	expect(calls.at(-1)).toMatchObject({ invalid: expect.stringMatching(/first 8 calls/), arguments: {} });
});

test.each([
	["end_turn", "end_turn"],
	["stop_sequence", "end_turn"],
	["tool_use", "tool_use"],
	["max_tokens", "max_tokens"],
	["model_context_window_exceeded", "max_tokens"],
	["pause_turn", "max_tokens"],
	["refusal", "refusal"],
	["something_new", "max_tokens"],
	["constructor", "max_tokens"],
	[null, "max_tokens"],
	[7, "max_tokens"],
])("stop reason %j ends as %s", (reason, expected) => {
	const { parts } = replyOf(begin, ...text(0, "x"), stop(reason), end);
	expect(parts.at(-1)).toMatchObject({ type: "end", stop: expected });
});

test("a reply without a stop reason may be incomplete", () => {
	const { parts, finished } = replyOf(begin, ...text(0, "x"), end);
	expect(parts.at(-1)).toMatchObject({ type: "end", stop: "max_tokens" });
	expect(finished).toBe(true);
});

const cut = expect.stringMatching(
	/^the reply was cut off before the call was complete: it had \d+ characters of arguments by then\. /,
);

test.each(["max_tokens", "refusal", undefined])("a cut-off reply (%s) cuts off its last call", (reason) => {
	const before = call(0, '{"n":0}');
	const last = call(1, '{"n":1}');
	const { parts } = replyOf(begin, ...before, ...last, stop(reason), end);
	expect(parts.filter(({ type }) => type === "call")).toMatchObject([
		{ arguments: { n: 0 } },
		{ arguments: {}, invalid: cut },
	]);
	const unclosed = replyOf(begin, ...before, ...last.slice(0, -1), stop(reason), end).parts;
	expect(unclosed.filter(({ type }) => type === "call").at(-1)).toMatchObject({ invalid: cut });
});

test.each([
	["no object", 5],
	["null", null],
	["content before its start", open(0, { type: "text", text: "" })],
	["an end before its start", end],
	["a change before its start", stop("end_turn")],
	["a start without a message", { type: "message_start" }],
])("damage at the beginning interrupts the reply: %s", (_name, event) => {
	expect(() => replyOf(event)).toThrow(expect.objectContaining({ fault: "interrupted" }));
});

test.each([
	["a second start", [begin]],
	["a block that opens twice", [open(0, { type: "text" }), open(0, { type: "text" })]],
	["a block that opens again", [...text(0, "x"), open(0, { type: "text" })]],
	["a block without an index", [{ type: "content_block_start", content_block: { type: "text" } }]],
	["a block without content", [{ type: "content_block_start", index: 0 }]],
	["a piece of a block that never opened", [piece(0, { type: "text_delta", text: "x" })]],
	["a piece of a block that is closed", [...text(0, "x"), piece(0, { type: "text_delta", text: "y" })]],
	["a piece of another kind", [open(0, { type: "text" }), piece(0, { type: "input_json_delta" })]],
	["a piece without content", [open(0, { type: "text" }), { type: "content_block_delta", index: 0 }]],
	["the end of a block that never opened", [close(3)]],
	["a call without an end", [open(0, { type: "tool_use", id: "a", name: "b" }), stop("tool_use"), end]],
	["blocks without end", Array.from({ length: 1025 }, (_, index) => open(index, { type: "text" }))],
])("damage interrupts the reply: %s", (_name, events) => {
	expect(() => replyOf(begin, ...events)).toThrow(expect.objectContaining({ fault: "interrupted" }));
});

test("unknown events are ignored", () => {
	const unknown = [
		{ type: "ping" },
		{ type: "message_hint", index: 9 },
		{},
		open(0, { type: "server_tool_use", id: "x", name: "web_search", input: {} }),
		piece(0, { type: "input_json_delta", partial_json: "{" }),
		close(0),
		open(1, { type: "text", text: "a" }),
		piece(1, { type: "citations_delta", citation: {} }),
		piece(1, { type: "text_delta", text: 7 }),
		piece(1, { type: "text_delta", text: "" }),
		close(1),
	];
	expect(contentOf(unknown)).toEqual([{ type: "text", text: "a" }]);
});

test("an error among the events is thrown with its own type", () => {
	const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
	expect(() => replyOf(begin, ...text(0, "x"), error)).toThrow(
		expect.objectContaining({ fault: "overloaded" }),
	);
});

test("no event follows the end", () => {
	const { parts } = replyOf(begin, stop("end_turn"), end, begin, ...text(0, "more"), "rubbish");
	expect(parts.map(({ type }) => type)).toEqual(["usage", "usage", "end"]);
});

test("the reply names its model, if the name can be shown", () => {
	const named = (model: unknown) => replyOf({ ...begin, message: { model } }).parts[0];
	expect(named("x\u001b[31m")).toMatchObject({ model: "x\\u{1b}[31m" });
	expect(named("x".repeat(1000))).toMatchObject({ model: "x".repeat(200) });
	for (const none of ["", 7, undefined]) expect(named(none)).toMatchObject({ model: "claude-x" });
});
