import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { ParleyError, parseJson } from "@parley/base";
import type { AssistantMessage, Message, Prompt, StopReason } from "@parley/core";
import { expect, test } from "vitest";
import {
	encodeAsk,
	encodeContent,
	encodeCounts,
	encodeFrame,
	encodeQuestion,
	encodeStop,
	encodeZotError,
	encodeZotMessage,
	encodeZotReply,
	failure,
	success,
} from "./codec.ts";
import type { Frame } from "./schema.ts";

test("a response has the id of its command, if the command has one", () => {
	expect(success({ id: "1", type: "ping" }, { pong: true })).toEqual({
		type: "response",
		id: "1",
		command: "ping",
		success: true,
		data: { pong: true },
	});
	expect(success({ id: 0, type: "abort" })).toEqual({
		type: "response",
		id: 0,
		command: "abort",
		success: true,
	});
	for (const id of ["", undefined]) {
		expect(failure({ id, type: "x" }, "no")).toEqual({
			type: "response",
			command: "x",
			success: false,
			error: "no",
		});
	}
});

test.each<Frame>([
	{ type: "text_delta", delta: "a\u2028b\u2029c", request_id: "\u2028" },
	{ type: "error", message: "\u2029" },
	success({ id: "\u2028\u2029", type: "ping" }, { text: "\u2028" }),
])("a frame is one line also for readline of Node.js: %j", async (frame) => {
	const lines = await Array.fromAsync(createInterface({ input: Readable.from([`${encodeFrame(frame)}\n`]) }));
	expect(lines.map((line) => parseJson(line))).toEqual([frame]);
});

test("an error has its message, and an internal error has no details", () => {
	expect(encodeZotError(new ParleyError("no model x", { code: "invalid_argument" }))).toBe("no model x");
	expect(encodeZotError(new Error("SELECT secret"))).toBe("internal error: see the log on stderr");
	expect(encodeZotError(new ParleyError("row 7", { code: "internal" }))).not.toContain("row 7");
});

const content: AssistantMessage["content"] = [
	{ type: "thinking", text: "hm", signature: "s" },
	{ type: "text", text: "Look:" },
	{ type: "call", id: "c1", name: "read", arguments: { path: "a" } },
	{ type: "call", id: "c2", name: "read", arguments: "{", invalid: "no JSON" },
];
const blocks = [
	{ type: "text", text: "Look:" },
	{ type: "tool_call", id: "c1", name: "read", args: { path: "a" } },
	{ type: "tool_call", id: "c2", name: "read", args: null },
];

test("each delta has the id of its own prompt, on one line", () => {
	const ids = ["a", "a", undefined, 7, "7", "\u2028", "a"];
	for (const request_id of ids) {
		const frame = {
			type: "text_delta",
			delta: "x\u2029",
			...(request_id !== undefined && { request_id }),
		} as const;
		const line = encodeFrame(frame);
		expect(parseJson(line)).toEqual(frame);
		expect(line).not.toMatch(/[\u2028\u2029]/);
	}
});

test.each<[string, Message, object]>([
	[
		"user",
		{
			role: "user",
			content: [
				{ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
				{ type: "text", text: "What is this?" },
			],
		},
		{
			role: "user",
			content: [
				{ type: "text", text: "What is this?" },
				{ type: "image", mime_type: "image/png", bytes: 8 },
			],
		},
	],
	["assistant", { role: "assistant", content }, { role: "assistant", content: blocks }],
	[
		"tool",
		{
			role: "tool",
			content: [
				{ type: "result", callId: "c1", text: "no such file", failed: true },
				{
					type: "result",
					callId: "c2",
					text: "a.png",
					failed: false,
					pictures: [{ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }],
				},
			],
		},
		{
			role: "tool",
			content: [
				{
					type: "tool_result",
					call_id: "c1",
					is_error: true,
					content: [{ type: "text", text: "no such file" }],
				},
				{
					type: "tool_result",
					call_id: "c2",
					is_error: false,
					content: [
						{ type: "text", text: "a.png" },
						{ type: "image", mime_type: "image/png", bytes: 8 },
					],
				},
			],
		},
	],
])("a message of the %s has its time", (_role, message, encoded) => {
	const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
	expect(encodeZotMessage({ message, at })).toEqual({ ...encoded, time: "2026-01-02T03:04:05.006Z" });
});

test.each([
	["", 0],
	["YQ==", 1],
	["YWI=", 2],
	["YWJj", 3],
])("an image %j has %i bytes", (data, bytes) => {
	const image = { type: "image", mediaType: "image/gif", data } as const;
	expect(encodeContent([image])).toEqual([{ type: "image", mime_type: "image/gif", bytes }]);
	expect(encodeQuestion("", [image])).toEqual([{ type: "image", mime_type: "image/gif", bytes }]);
	expect(encodeQuestion("a", [image])[0]).toEqual({ type: "text", text: "a" });
});

test("input is counted without cache tokens, and costs are in dollars", () => {
	const usage = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 30 };
	const encoded = { output: 7, cache_read: 60, cache_write: 30, cost_usd: 0.001_234_5 };
	expect(encodeCounts(usage, 1_234_500)).toEqual({ input: 10, ...encoded });
	expect(encodeCounts({ ...usage, inputTokens: 80 }, 1_234_500)).toEqual({ input: 0, ...encoded });
});

test.each<[StopReason | undefined, string, string, string]>([
	["end_turn", "text", "", "end_turn"],
	["end_turn", "call", "", "tool_use"],
	["tool_use", "call", "", "tool_use"],
	["max_tokens", "text", "", "length"],
	["max_tokens", "call", "", "length"],
	["refusal", "text", "", "error"],
	["end_turn", "text", "overloaded", "error"],
	[undefined, "text", "", "error"],
	[undefined, "text", "cancelled", "aborted"],
	["end_turn", "call", "cancelled", "aborted"],
])("a reply that stops with %s, %s and the error %j ends with %s", (stop, inner, error, expected) => {
	const reply = inner === "call" ? content : content.slice(0, 2);
	expect(encodeStop(stop, reply, error)).toBe(expected);
});

test("a reply has its message, its calls and its end; an interrupted reply has no calls", () => {
	const time = "1970-01-01T00:00:00.000Z";
	const full = encodeZotReply(content, { stop: "tool_use", error: "", at: 0 });
	expect(full).toEqual([
		{ type: "assistant_message", content: blocks, time },
		...blocks.slice(1),
		{ type: "turn_end", stop: "tool_use" },
	]);
	for (const stop of ["aborted", "error"] as const) {
		expect(encodeZotReply(content, { stop, error: stop === "error" ? "gone" : "", at: 0 })).toEqual([
			{ type: "assistant_message", content: blocks.slice(0, 1), time },
			{ type: "turn_end", stop, ...(stop === "error" && { error: "gone" }) },
		]);
	}
	expect(encodeZotReply([], { stop: "end_turn", error: "", at: 0 })).toEqual([
		{ type: "turn_end", stop: "end_turn" },
	]);
	expect(encodeZotReply(content.slice(0, 1), { stop: "end_turn", error: "", at: 0 })).toHaveLength(1);
});

const prompt = {
	token: "prompt_secret",
	runId: "run",
	type: "confirm" as const,
	label: "run echo",
	required: true,
	options: [],
	validation: "",
	placeholder: "",
	expiresAt: 0,
} satisfies Prompt;

test("an approval has an id of the connection, and never its token", () => {
	const approval: NonNullable<Prompt["approval"]> = {
		callId: "c",
		tool: "bash",
		arguments: { command: "echo" },
		preview: "",
		notes: ["n"],
		risk: "high" as const,
		allowSession: true,
	};
	expect(encodeAsk("ask-1", prompt, approval)).toEqual({
		type: "ask",
		id: "ask-1",
		call_id: "c",
		tool: "bash",
		args: { command: "echo" },
		label: "run echo",
		preview: "",
		risk: "high",
		notes: ["n"],
		can_remember: true,
	});
	expect(JSON.stringify(encodeAsk("ask-1", prompt, approval))).not.toContain("prompt_secret");
});
