import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import type { Message } from "../../vocabulary/message.ts";
import type { ModelRequest, Sampling } from "../../vocabulary/model.ts";
import type { ModelInfo } from "../table/model-table.ts";
import { encodeInput, encodeRequest, headersOf } from "./request.ts";

const info = (changes: Partial<ModelInfo> = {}): ModelInfo => ({
	id: "claude-x",
	provider: "anthropic",
	contextWindow: 200_000,
	maxOutput: 64_000,
	reasoning: "none",
	sampling: true,
	images: true,
	...changes,
});

const hello: Message = { role: "user", content: [{ type: "text", text: "hello" }] };
const request = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
	model: "claude-x",
	system: "You help.",
	messages: [hello],
	tools: [],
	...changes,
});

const official = (known: ModelInfo | undefined = info()) => ({ info: known, custom: false });
const custom = (known?: ModelInfo) => ({ info: known, custom: true });

const cache_control = { type: "ephemeral" };
const parameters = { type: "object", properties: { path: { type: "string" } } };

test("a request has the form of the Messages API, with the same bytes each time", () => {
	const tools = [
		{ name: "read_file", description: "reads", parameters },
		{ name: "write_file", description: "writes", parameters },
	];
	const encode = () => JSON.stringify(encodeRequest(request({ tools }), official()).body);
	expect(parseJson(encode())).toEqual({
		model: "claude-x",
		tools: [
			{ name: "read_file", description: "reads", input_schema: parameters },
			{ name: "write_file", description: "writes", input_schema: parameters, cache_control },
		],
		system: [{ type: "text", text: "You help.", cache_control }],
		messages: [{ role: "user", content: [{ type: "text", text: "hello", cache_control }] }],
		max_tokens: 32_000,
		stream: true,
	});
	expect(encode()).toBe(encode());
});

test("a request that awaits people is cached for an hour by the provider itself, at each mark", () => {
	const tools = [{ name: "read_file", description: "reads", parameters }];
	const awaiting = request({ tools, awaitsPeople: true });
	const marksOf = (body: object) => JSON.stringify(body).match(/"cache_control":\{.*?\}/g);
	const hour = '"cache_control":{"type":"ephemeral","ttl":"1h"}';
	expect(marksOf(encodeRequest(awaiting, official()).body)).toEqual([hour, hour, hour]);
	const minutes = '"cache_control":{"type":"ephemeral"}';
	expect(marksOf(encodeRequest(awaiting, custom()).body)).toEqual([minutes, minutes, minutes]);
	expect(marksOf(encodeRequest(request({ tools }), official()).body)).toEqual([minutes, minutes, minutes]);
});

test("a conversation with calls has tools, even if none are offered", () => {
	const messages: Message[] = [
		hello,
		{
			role: "assistant",
			content: [
				{ type: "call", id: "a", name: "git", arguments: {} },
				{ type: "call", id: "b", name: "git", arguments: {} },
			],
		},
		{
			role: "tool",
			content: [
				{ type: "result", callId: "a", text: "x", failed: false },
				{ type: "result", callId: "b", text: "x", failed: false },
			],
		},
	];
	expect(encodeRequest(request({ messages, system: " " }), official()).body).toMatchObject({
		tools: [{ name: "git", input_schema: { type: "object" } }],
		tool_choice: { type: "none" },
	});
	expect(encodeRequest(request({ messages, system: " " }), official()).body).not.toHaveProperty("system");
	expect(encodeRequest(request(), official()).body).not.toHaveProperty("tools");
});

test.each([
	["a known model", undefined, official(info({ maxOutput: 64_000 })), 32_000],
	["a known model with a low limit", undefined, official(info({ maxOutput: 8000 })), 8000],
	["a requested number", 1234, official(), 1234],
	["a requested number above the limit of the model", 100_000, official(info({ maxOutput: 64_000 })), 64_000],
	["an unknown model", undefined, custom(), 8192],
	["a requested number for an unknown model", 100_000, custom(), 100_000],
	["a requested number of 0", 0, custom(), 1],
])(
	"the maximum tokens of a reply fit the model and the requested number: %s",
	(_name, maxTokens, destination, expected) => {
		const sampling = maxTokens === undefined ? {} : { maxTokens };
		expect(encodeRequest(request({ sampling }), destination).body.max_tokens).toBe(expected);
	},
);

const all: Sampling = { temperature: 0.5, topP: 0.9, topK: 40, repeatPenalty: 1.1 };

test.each([
	["an older model", official(), { temperature: 0.5, top_k: 40 }, ["topP", "repeatPenalty"]],
	[
		"a newer model",
		official(info({ sampling: false })),
		{},
		["temperature", "topP", "topK", "repeatPenalty"],
	],
	[
		"an unknown one",
		{ info: undefined, custom: false },
		{},
		["temperature", "topP", "topK", "repeatPenalty"],
	],
	["another server", custom(), { temperature: 0.5, top_p: 0.9, top_k: 40, repeat_penalty: 1.1 }, []],
	[
		"a newer model at another server",
		custom(info({ sampling: false })),
		{},
		["temperature", "topP", "topK", "repeatPenalty"],
	],
])("sampling options are sent to models that accept them: %s", (_name, destination, fields, dropped) => {
	const encoded = encodeRequest(request({ sampling: all }), destination);
	const { temperature, top_p, top_k, repeat_penalty } = encoded.body;
	expect({ temperature, top_p, top_k, repeat_penalty }).toEqual(fields);
	expect(encoded.dropped).toEqual(dropped);
});

test("an older model gets top-p if no temperature is set", () => {
	const { body, dropped } = encodeRequest(request({ sampling: { topP: 0.9 } }), official());
	expect(body).toMatchObject({ top_p: 0.9 });
	expect(dropped).toEqual([]);
});

test("thinking and sampling exclude each other, and the chosen option is used", () => {
	const thinker = official(info({ reasoning: "adaptive" }));
	const sampling = { temperature: 0.5 };
	const both = encodeRequest(request({ sampling, reasoning: "high" }), thinker);
	expect(both).toMatchObject({ body: { thinking: { type: "adaptive" } }, dropped: ["temperature"] });
	expect(both.body).not.toHaveProperty("temperature");
	const sampled = encodeRequest(request({ sampling }), thinker);
	expect(sampled).toMatchObject({ body: { temperature: 0.5 }, dropped: [] });
	expect(sampled.body).not.toHaveProperty("thinking");
	expect(encodeRequest(request({ sampling, reasoning: "off" }), thinker)).toMatchObject({
		body: { temperature: 0.5, thinking: { type: "disabled" } },
	});
});

test("a count has the input without the options of the answer", () => {
	const thinker = official(info({ reasoning: "adaptive" }));
	const input = encodeInput(request({ reasoning: "low", sampling: all }), thinker);
	expect(Object.keys(input)).toEqual(["model", "system", "messages", "thinking", "output_config"]);
});

test("the header for thinking is sent only with the option that needs it", () => {
	const model = "claude-sonnet-5-5";
	const known = info({ id: model, reasoning: "between_tools" });
	expect(headersOf(encodeInput(request({ model }), official(known)))).toEqual({
		"anthropic-beta": "thinking-binding-controls-2026-08-01",
	});
	expect(headersOf(encodeInput(request({ model, reasoning: "off" }), official(known)))).toEqual({});
	expect(headersOf(encodeInput(request({ model }), custom(known)))).toEqual({});
	expect(headersOf(encodeInput(request(), official()))).toEqual({});
});
