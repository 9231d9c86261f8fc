import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chatWire } from "./chat-wire.ts";
import { FakeProvider } from "./fake-provider.ts";
import { geminiWire } from "./gemini-wire.ts";
import { responsesWire } from "./responses-wire.ts";
import type { Fields, ProviderWire } from "./wire.ts";

interface Api {
	readonly wire: ProviderWire;
	readonly path: string;
	readonly valid: Fields;
	readonly refused: readonly (readonly [Fields, RegExp])[];
}

const user = { role: "user", content: "Hello" };
const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
const part = { role: "user", parts: [{ text: "Hello" }] };
const item = { role: "user", content: [{ type: "input_text", text: "Hello" }] };
const called = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" };

const apis: readonly Api[] = [
	{
		wire: chatWire,
		path: "/chat/completions",
		valid: {
			model: "m",
			messages: [user],
			stream: true,
			stream_options: { include_usage: true },
			max_tokens: 9,
		},
		refused: [
			[{ mood: "good" }, /unknown field mood/],
			[{ stream_options: {} }, /usage/],
			[{ messages: [] }, /must not be empty/],
			[{ messages: [{ role: "user", content: " " }] }, /a text is empty/],
			[{ messages: [user, { role: "system", content: "You help." }] }, /system message must be first/],
			[{ messages: [user, { role: "assistant", content: "Hi" }] }, /assistant's/],
			[{ messages: [user, { role: "assistant", content: null, tool_calls: [call] }, user] }, /no answer/],
			[{ messages: [user, { role: "tool", tool_call_id: "c1", content: "x" }] }, /answers no call/],
			[{ tools: [{ type: "function", function: { name: "look!" } }] }, /invalid tool name/],
		],
	},
	{
		wire: responsesWire,
		path: "/responses",
		valid: {
			...{ model: "m", input: [item], stream: true, store: false, max_output_tokens: 99 },
			include: ["reasoning.encrypted_content"],
		},
		refused: [
			[{ store: true }, /store/],
			[{ include: [] }, /include/],
			[{ input: [] }, /must not be empty/],
			[{ input: [item, called] }, /no output for the call/],
			[{ input: [{ type: "function_call_output", call_id: "c1", output: "x" }] }, /answers no call/],
			[
				{ input: [item, { type: "reasoning", id: "rs_1", encrypted_content: "sealed:rs_2" }] },
				/not that of the item/,
			],
			[{ input: [{ role: "user", content: [{ type: "input_image", image_url: "http://x" }] }] }, /data URL/],
		],
	},
	{
		wire: geminiWire,
		path: "/models/m:streamGenerateContent?alt=sse",
		valid: { contents: [part], generationConfig: { maxOutputTokens: 9 } },
		refused: [
			[{ generationConfig: {} }, /maxOutputTokens/],
			[{ contents: [] }, /must not be empty/],
			[
				{ contents: [part, { role: "model", parts: [{ functionCall: { name: "look" } }] }, part] },
				/other responses/,
			],
			[{ contents: [{ role: "user", parts: [{ inlineData: { data: "?" } }] }] }, /base64/],
			[
				{ contents: [part, { role: "model", parts: [{ text: "a", thoughtSignature: "b" }] }, part] },
				/signature/,
			],
		],
	},
];

describe.each(apis.map((one) => [one.wire.name, one] as const))("%s", (_, { wire, path, valid, refused }) => {
	let fake: FakeProvider;
	beforeEach(async () => {
		fake = await FakeProvider.start(wire, { models: ["m"] });
	});
	afterEach(() => fake.close());

	async function send(body: unknown, key = fake.apiKey): Promise<Response> {
		const headers = {
			"content-type": "application/json",
			authorization: `Bearer ${key}`,
			"x-goog-api-key": key,
		};
		return fetch(`${fake.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
	}

	test("a valid request gets the scripted reply with its usage", async () => {
		fake.script({ content: [{ type: "text", text: "Good morning" }] });
		const response = await send(valid);
		expect(response.status).toBe(200);
		const text = await response.text();
		expect(text).toContain("Good morning");
		expect(text).toContain(wire.completion);
		expect(text).toContain(
			JSON.stringify(
				wire.usage(fake.requests[0]?.counted ?? { input: 0, cached: 0, output: 0, reasoning: 0 }),
			),
		);
	});

	test.for(refused)("%j is refused", async ([change, reason]) => {
		expect((await send({ ...valid, ...change })).status).toBe(400);
		expect(fake.takeViolations().join()).toMatch(reason);
	});

	test("another key and another address are refused", async () => {
		expect((await send(valid, "sk-other")).status).toBe(401);
		expect((await fetch(`${fake.url}/nowhere`)).status).toBe(404);
		expect(fake.takeViolations()).toHaveLength(2);
	});

	test("the models are listed", async () => {
		const response = await fetch(`${fake.url}/models`);
		expect(await response.json()).toEqual(wire.models(["m"]));
	});
});
