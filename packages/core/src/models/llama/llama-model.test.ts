import { parseJson } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ScriptedModel, says } from "../../testing/scripted-model.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { createLlamaModel } from "./llama-model.ts";

const { signal } = new AbortController();

interface Sent {
	readonly url: string;
	readonly authorization: string | undefined;
	readonly model: string;
	readonly content: string;
}

function open(answer: (sent: Sent) => Response, ready: () => Promise<void> = async () => undefined) {
	const counts: boolean[] = [];
	const messages = new ScriptedModel([says("hello")]);
	const model = createLlamaModel(messages, {
		endpoint: "http://llama.test",
		apiKey: "own",
		clock: new ManualClock(),
		ready,
		window: () => 8_192,
		counted: (isCounted) => counts.push(isCounted),
		fetch: async (url, { body, headers } = {}) => {
			const authorization = new Headers(headers).get("authorization") ?? undefined;
			// The cast is safe because the model sends both fields.
			const fields = parseJson(String(body)) as { readonly model: string; readonly content: string };
			return answer({ url: String(url), authorization, ...fields });
		},
	});
	return { model, messages, counts };
}

const tokens = (count: number) => Response.json({ tokens: Array.from({ length: count }, () => 1) });

test("texts are counted by /tokenize, each with the key, in their order", async () => {
	const seen: Sent[] = [];
	const { model, counts } = open((sent) => {
		seen.push(sent);
		return tokens(sent.content.length);
	});
	const texts = ["", "a", "bb", "ccc", "dddd", "eeeee"];
	expect(await model.countTexts("tiny", texts, signal)).toEqual([0, 1, 2, 3, 4, 5]);
	const facts = { url: "http://llama.test/tokenize", authorization: "Bearer own", model: "tiny" };
	expect(seen).toEqual(texts.map((content) => ({ ...facts, content })));
	expect(counts).toEqual([true]);
	expect(model.windowOf("tiny")).toBe(8_192);
});

test.each<[string, () => Response]>([
	["503", () => Response.json({ error: { code: 503 } }, { status: 503 })],
	["no token count", () => Response.json({ count: 3 })],
	["no token count", () => new Response("<html>")],
	[
		"no token count",
		() => {
			throw new TypeError("fetch failed");
		},
	],
])("a server that answers with %s returns no count", async (reason, answer) => {
	const { model, counts } = open(answer);
	await expect(model.countTexts("tiny", ["a"], signal)).rejects.toMatchObject({
		code: "unavailable",
		message: expect.stringContaining(reason),
	});
	expect(counts).toEqual([false]);
});

test("a request waits until the server is ready, and is counted as a text if the server counts no requests", async () => {
	const loaded = Promise.withResolvers<void>();
	const { model, messages } = open(
		({ content }) => tokens(content.split(" ").length),
		() => loaded.promise,
	);
	const request: ModelRequest = {
		model: "tiny",
		system: "one two",
		tools: [],
		messages: [{ role: "user", content: [{ type: "text", text: "three four" }] }],
	};
	const settled = model.settled(signal);
	const events = Array.fromAsync(model.stream(request, signal));
	expect(messages.requests).toEqual([]);
	loaded.resolve();
	await settled;
	expect((await events).map(({ type }) => type)).toEqual(["text", "end"]);
	// One token for each of the three texts, and eight template tokens each for the system prompt and the message.
	expect(await model.countTokens?.(request, signal)).toBe(3 + 2 * 8);
});
