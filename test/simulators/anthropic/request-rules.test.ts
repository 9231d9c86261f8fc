import Anthropic from "@anthropic-ai/sdk";
import type {
	MessageCreateParamsStreaming,
	MessageParam,
	TextBlockParam,
	Tool,
} from "@anthropic-ai/sdk/resources/messages";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeAnthropic } from "./fake-anthropic.ts";
import { says, thinks } from "./reply.ts";
import { signatureOf } from "./stream-events.ts";

let fake: FakeAnthropic;
let client: Anthropic;
beforeAll(async () => {
	fake = await FakeAnthropic.start();
	fake.otherwise(says("Well."));
	client = new Anthropic({ apiKey: fake.apiKey, baseURL: fake.url, maxRetries: 0, logLevel: "off" });
});
afterAll(() => fake.close());

const tool: Tool = { name: "look", description: "Looks.", input_schema: { type: "object" } };
const user: MessageParam = { role: "user", content: "What is here?" };
const good: MessageCreateParamsStreaming = {
	model: "claude-sonnet-5-5",
	max_tokens: 2_000,
	messages: [user],
	tools: [tool],
	stream: true,
};

function calls(...ids: readonly string[]): MessageParam {
	return {
		role: "assistant",
		content: ids.map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
	};
}

function call(input: { name?: string; input?: unknown }): MessageParam {
	return { role: "assistant", content: [{ type: "tool_use", id: "a", name: "look", input: {}, ...input }] };
}

function answers(...ids: readonly string[]): MessageParam {
	return {
		role: "user",
		content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "a door" })),
	};
}

function cached(text: string, ttl?: "5m" | "1h"): TextBlockParam {
	return { type: "text", text, cache_control: { type: "ephemeral", ...(ttl && { ttl }) } };
}

async function refusals(request: object): Promise<string[]> {
	// The cast is needed because the faulty requests of the test do not match the type.
	const outcome = await client.messages.create(request as MessageCreateParamsStreaming).then(
		async (stream) => {
			for await (const _ of stream);
			return 200;
		},
		(reason: unknown) => (reason instanceof Anthropic.APIError ? reason.status : reason),
	);
	const violations = fake.drainViolations();
	expect(outcome).toBe(violations.length > 0 ? 400 : 200);
	return violations;
}

const accepted: readonly (readonly [string, object])[] = [
	["a plain one", good],
	["calls with their results", { ...good, messages: [user, calls("a", "b"), answers("b", "a")] }],
	[
		"words behind results",
		{
			...good,
			messages: [
				user,
				calls("a"),
				{
					role: "user",
					content: [{ type: "tool_result", tool_use_id: "a" }, ...[cached("and now?")]],
				},
			],
		},
	],
	["two of the user in a row", { ...good, messages: [user, user] }],
	["four breakpoints", { ...good, system: [cached("a", "1h"), cached("b"), cached("c"), cached("d")] }],
	["a budget for thinking", { ...good, thinking: { type: "enabled", budget_tokens: 1_024 } }],
	[
		"an effort",
		{ ...good, thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
	],
];

test.for(accepted)("accepts %s", async ([, request]) => {
	expect(await refusals(request)).toEqual([]);
});

const { max_tokens: _, ...unlimited } = good;
const { model: __, ...nameless } = good;

const refused: readonly (readonly [string, object, RegExp])[] = [
	["no max_tokens", unlimited, /max_tokens/],
	["no model", nameless, /model/],
	["a misspelt key", { ...good, max_token: 3 }, /max_token"/],
	["temperature, which newer models do not take", { ...good, temperature: 0.5 }, /temperature/],
	["a misspelt key in a block", { ...good, system: [{ type: "text", text: "a", cache: {} }] }, /"cache"/],
	["a block of no kind", { ...good, messages: [{ role: "user", content: [{ type: "words" }] }] }, /./],
	["a part that is no object", { ...good, messages: ["hello"] }, /messages\/0/],
	["max_tokens of zero", { ...good, max_tokens: 0 }, /max_tokens/],
	["no messages", { ...good, messages: [] }, /at least one/],
	["the assistant first", { ...good, messages: [{ role: "assistant", content: "Hi" }, user] }, /first/],
	["the assistant last", { ...good, messages: [user, { role: "assistant", content: "Hi" }] }, /prefill/],
	["empty words", { ...good, messages: [{ role: "user", content: " " }] }, /white space/],
	["no content", { ...good, messages: [{ role: "user", content: [] }] }, /empty/],
	["a call without a result", { ...good, messages: [user, calls("a", "b"), answers("a")] }, /the call b/],
	["a call answered too late", { ...good, messages: [user, calls("a"), user, answers("a")] }, /the call a/],
	["a result without a call", { ...good, messages: [user, answers("a")] }, /was not called/],
	["two results for a call", { ...good, messages: [user, calls("a"), answers("a", "a")] }, /two results/],
	[
		"a call with a used id",
		{ ...good, messages: [user, calls("a"), answers("a"), calls("a"), answers("a")] },
		/there already/,
	],
	["an odd id", { ...good, messages: [user, calls("a b"), answers("a b")] }, /"a b" cannot be/],
	["a call of no name", { ...good, messages: [user, call({ name: "" }), answers("a")] }, /"" cannot be/],
	["a call with a list", { ...good, messages: [user, call({ input: [1] }), answers("a")] }, /an object/],
	[
		"words before results",
		{
			...good,
			messages: [
				user,
				calls("a"),
				{ role: "user", content: [cached("well"), { type: "tool_result", tool_use_id: "a" }] },
			],
		},
		/before the tool results/,
	],
	[
		"a failure without words",
		{
			...good,
			messages: [
				user,
				calls("a"),
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", is_error: true, content: "" }] },
			],
		},
		/is_error/,
	],
	[
		"calls without tools",
		{ ...good, tools: [], messages: [user, calls("a"), answers("a")] },
		/must be given/,
	],
	["two tools of one name", { ...good, tools: [tool, tool] }, /same name/],
	["a tool with an odd name", { ...good, tools: [{ ...tool, name: "look here" }] }, /look here/],
	["a choice that is not offered", { ...good, tool_choice: { type: "tool", name: "hear" } }, /hear/],
	["five breakpoints", { ...good, system: [..."abcde"].map((text) => cached(text)) }, /5 breakpoints/],
	["an hour behind five minutes", { ...good, system: [cached("a"), cached("b", "1h")] }, /behind one of 5m/],
	["too small a budget", { ...good, thinking: { type: "enabled", budget_tokens: 1_000 } }, /at least 1024/],
	["too large a budget", { ...good, thinking: { type: "enabled", budget_tokens: 2_000 } }, /less than/],
	[
		"thinking with a forced tool",
		{ ...good, thinking: { type: "enabled", budget_tokens: 1_024 }, tool_choice: { type: "any" } },
		/forced/,
	],
	[
		"thinking left out before a call",
		{
			...good,
			thinking: { type: "enabled", budget_tokens: 1_024 },
			messages: [user, calls("a"), answers("a")],
		},
		/begin with the thinking/,
	],
	[
		"an image that is none",
		{
			...good,
			messages: [
				{
					role: "user",
					content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "!" } }],
				},
			],
		},
		/not base64/,
	],
	[
		"redacted thinking from nowhere",
		{
			...good,
			messages: [
				user,
				{ role: "assistant", content: [{ type: "redacted_thinking", data: "x" }, cached("a")] },
				user,
			],
		},
		/never was sent/,
	],
];

test.for(refused)("refuses %s", async ([, request, message]) => {
	const violations = await refusals(request);
	expect(violations.join("\n")).toMatch(message);
});

test("thinking must be returned unchanged", async () => {
	fake.script({ content: [thinks("A door, I guess."), { type: "text", text: "A door." }] });
	await refusals(good);
	const signature = signatureOf("A door, I guess.");
	const back = (thinking: string): MessageParam[] => [
		user,
		{
			role: "assistant",
			content: [
				{ type: "thinking", thinking, signature },
				{ type: "text", text: "A door." },
			],
		},
		user,
	];
	expect(await refusals({ ...good, messages: back("A door, I guess.") })).toEqual([]);
	expect(await refusals({ ...good, messages: back("A window, I guess.") })).toEqual([
		expect.stringContaining("signature"),
	]);
});

test("a body that is not JSON is refused", async () => {
	const response = await fetch(`${fake.url}/v1/messages`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${fake.apiKey}`,
			"anthropic-version": "2026-10-21",
			"content-type": "application/json",
		},
		body: "{",
	});
	expect(response.status).toBe(400);
	expect(fake.drainViolations().join("\n")).toContain("unreadable");
});

test("unknown headers and paths are refused", async () => {
	const response = await fetch(`${fake.url}/v1/messages`, {
		method: "POST",
		headers: { authorization: `Bearer ${fake.apiKey}`, "anthropic-version": "2023-06-01" },
		body: JSON.stringify(good),
	});
	expect(response.status).toBe(400);
	expect((await fetch(`${fake.url}/v1/complete`)).status).toBe(404);
	const violations = fake.drainViolations().join("\n");
	for (const fault of ["anthropic-version", "content-type", "no GET /v1/complete"])
		expect(violations).toContain(fault);
});
