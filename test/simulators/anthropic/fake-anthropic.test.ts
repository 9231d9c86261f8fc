import Anthropic from "@anthropic-ai/sdk";
import type {
	MessageCreateParamsStreaming,
	RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { FakeAnthropic, type FakeAnthropicOptions } from "./fake-anthropic.ts";
import { type StreamedReply, says, thinks, uses } from "./reply.ts";
import { RequestSchema } from "./request-schema.ts";
import { signatureOf } from "./stream-events.ts";

const hello: MessageCreateParamsStreaming = {
	model: "claude-sonnet-5-5",
	max_tokens: 1_000,
	messages: [{ role: "user", content: "Good morning, who is there?" }],
	stream: true,
};

async function connect(options: FakeAnthropicOptions = {}) {
	const fake = await FakeAnthropic.start(options);
	onTestFinished(() => fake.close());
	const client = new Anthropic({
		apiKey: fake.apiKey,
		baseURL: fake.url,
		maxRetries: 0,
		logLevel: "off",
	});
	return { fake, client };
}

async function eventsOf(client: Anthropic, request = hello): Promise<RawMessageStreamEvent[]> {
	const events: RawMessageStreamEvent[] = [];
	for await (const event of await client.messages.create(request)) events.push(event);
	return events;
}

function textOf(events: readonly RawMessageStreamEvent[]): string {
	return events
		.map((event) =>
			event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : "",
		)
		.join("");
}

test("a reply of every kind of block arrives completely through the SDK", async () => {
	const { fake, client } = await connect();
	fake.script({
		content: [
			thinks("Somebody greets me. I should greet back."),
			{ type: "redacted_thinking", data: "b3BhcXVl" },
			{ type: "text", text: "Good morning! 👋 I shall look around first." },
			{ type: "tool_use", id: "toolu_1", name: "list_files", input: { path: ".", depth: 2 } },
		],
	});
	const message = await client.messages.stream(hello).finalMessage();
	expect(message.content).toMatchObject([
		{
			type: "thinking",
			thinking: "Somebody greets me. I should greet back.",
			signature: signatureOf("Somebody greets me. I should greet back."),
		},
		{ type: "redacted_thinking", data: "b3BhcXVl" },
		{ type: "text", text: "Good morning! 👋 I shall look around first." },
		{ type: "tool_use", id: "toolu_1", name: "list_files", input: { path: ".", depth: 2 } },
	]);
	expect(message).toMatchObject({ stop_reason: "tool_use", model: "claude-sonnet-5-5" });
	expect(message.usage.input_tokens).toBe(fake.requests[0]?.promptTokens);
	expect(message.usage.output_tokens).toBe(fake.requests[0]?.usage?.output_tokens);
});

test("every event has the shape that the SDK's types promise", async () => {
	const { fake, client } = await connect();
	const schema = await RequestSchema.load();
	const replies: StreamedReply[] = [
		says("Hello"),
		uses("toolu_1", "look", { at: "this" }),
		{ content: [thinks("Hm."), { type: "redacted_thinking", data: "eHg=" }], stop: "max_tokens" },
		{ content: [], stop: "refusal" },
		{ ...says("Hello again"), pingEvery: 1 },
	];
	for (const reply of replies) {
		fake.script(reply);
		const events = await eventsOf(client);
		expect(events.at(-1)).toEqual({ type: "message_stop" });
		for (const event of events) expect(schema.faults("RawMessageStreamEvent", event)).toEqual([]);
	}
});

test("requests are recorded unchanged, with their headers", async () => {
	const { fake, client } = await connect();
	fake.script(says("Hello"));
	await eventsOf(client);
	expect(fake.requests).toHaveLength(1);
	expect(fake.requests[0]?.bytes.toString()).toBe(JSON.stringify(hello));
	expect(fake.requests[0]?.headers).toMatchObject({
		authorization: `Bearer ${fake.apiKey}`,
		"anthropic-version": "2026-10-21",
	});
});

test("a reply can depend on the request", async () => {
	const { fake, client } = await connect();
	fake.otherwise(({ body }) => says(`${body.messages.length} message for ${body.model}`));
	expect(textOf(await eventsOf(client))).toBe("1 message for claude-sonnet-5-5");
});

test("texts and bytes are cut as requested", async () => {
	const { fake, client } = await connect();
	const byBytes = (bytes: Uint8Array): Uint8Array[] => [...bytes].map((byte) => Uint8Array.of(byte));
	fake.script({ ...says("Grüße 👋"), cut: (text) => [...text], packets: byBytes });
	const events = await eventsOf(client);
	expect(textOf(events)).toBe("Grüße 👋");
	expect(events.filter(({ type }) => type === "content_block_delta")).toHaveLength(7);
});

test("events can be changed before they are sent", async () => {
	const { fake, client } = await connect();
	fake.script({
		...says("Hello"),
		edit: (events) => events.filter(({ event }) => event !== "message_delta"),
		usage: () => ({ input_tokens: -1 }),
	});
	const events = await eventsOf(client);
	expect(events.map(({ type }) => type)).not.toContain("message_delta");
	expect(events[0]).toMatchObject({ message: { usage: { input_tokens: -1 } } });
});

test("a status is sent with its headers and the API's error", async () => {
	const { fake, client } = await connect();
	fake.script({ status: 529, headers: { "retry-after": "7" } });
	const failed = await eventsOf(client).catch((reason: unknown) => reason);
	expect(failed).toBeInstanceOf(Anthropic.APIError);
	expect(failed).toMatchObject({ status: 529, type: "overloaded_error", requestID: /^req_/ });
});

test.for([
	{ how: "end" as const, ends: "quietly" },
	{ how: "reset" as const, ends: "with an error" },
	{ how: { type: "overloaded_error", message: "too much" }, ends: "with an error" },
])("a stream ends after its second delta: $how", async ({ how, ends }) => {
	const { fake, client } = await connect();
	const cut = (text: string): string[] => [...text];
	const read = Promise.withResolvers<void>();
	fake.script({ ...says("Hello"), cut, break: { at: 2, how, when: read.promise } });
	let text = "";
	let ended = "quietly";
	try {
		for await (const event of await client.messages.create(hello)) {
			text += textOf([event]);
			if (text === "He") read.resolve();
			expect(event.type).not.toBe("message_stop");
		}
	} catch {
		ended = "with an error";
	}
	expect({ text, ended }).toEqual({ text: "He", ended: ends });
});

test.for(["end", "reset"] as const)("a connection ends before the head: %s", async (how) => {
	const { fake, client } = await connect();
	fake.script({ content: [], break: { at: "start", how } });
	await expect(eventsOf(client)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
});

test("a hanging stream sends pings by its clock, and notices a disconnect", async () => {
	const clock = new ManualClock();
	const { fake, client } = await connect({ clock });
	fake.script({ ...says("Hello"), break: { at: 1, how: "hang", pingEveryMs: 5_000 } });
	const response = await client.messages.create(hello).asResponse();
	const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
	let seen = "";
	const readUntil = async (isTrue: () => boolean): Promise<void> => {
		while (!isTrue()) seen += (await reader?.read())?.value ?? "";
	};
	await readUntil(() => seen.includes("Hello"));
	for (const pings of [2, 3]) {
		clock.advance(5_000);
		await readUntil(() => seen.split('"ping"').length > pings);
	}
	await reader?.cancel();
	expect(await fake.requests[0]?.abandoned).toBe(true);
	expect(clock.pending).toBe(0);
});

test("a packet waits for its delay", async () => {
	const clock = new ManualClock();
	const { fake, client } = await connect({ clock });
	fake.script({ content: [], everyMs: 1_000, edit: (events) => events.slice(0, 1) });
	const response = await client.messages.create(hello).asResponse();
	const text = response.text();
	expect(clock.pending).toBe(1);
	clock.advance(1_000);
	expect(await text).toContain("message_start");
});

test("count_tokens returns the count that the reply then reports", async () => {
	const { fake, client } = await connect();
	fake.script(says("Hello"));
	const { max_tokens: _, stream: __, ...counted } = hello;
	const { input_tokens: tokens } = await client.messages.countTokens(counted);
	await eventsOf(client);
	expect(tokens).toBeGreaterThan(5);
	expect(fake.requests[0]?.promptTokens).toBe(tokens);
	expect(fake.counts).toEqual([counted]);
});

test("count_tokens can be missing", async () => {
	const { client } = await connect({ counting: { status: 404 } });
	const { max_tokens: _, stream: __, ...counted } = hello;
	await expect(client.messages.countTokens(counted)).rejects.toMatchObject({ status: 404 });
});

test("a server can accept keys that the SDK does not know", async () => {
	const { fake, client } = await connect({ furtherKeys: ["temperature"] });
	fake.script(says("Hello"));
	const warmer = { ...hello, temperature: 0.5 };
	expect(textOf(await eventsOf(client, warmer))).toBe("Hello");
	await expect(eventsOf(client, { ...warmer, ...{ top_q: 1 } })).rejects.toMatchObject({ status: 400 });
	expect(fake.drainViolations()).toEqual([expect.stringContaining("top_q")]);
});

test("a wrong key is refused", async () => {
	const { fake } = await connect();
	const client = new Anthropic({ apiKey: "wrong", baseURL: fake.url, maxRetries: 0, logLevel: "off" });
	await expect(eventsOf(client)).rejects.toMatchObject({ status: 401 });
	expect(fake.drainViolations()).toEqual(["request 1: authorization: is not the key"]);
});

test("a prompt longer than the window is refused, but counted", async () => {
	const { fake, client } = await connect({ contextWindow: 10 });
	const { max_tokens: _, stream: __, ...counted } = hello;
	expect((await client.messages.countTokens(counted)).input_tokens).toBeGreaterThan(10);
	await expect(eventsOf(client)).rejects.toMatchObject({ status: 400 });
	expect(fake.drainViolations()).toEqual([expect.stringContaining("prompt is too long")]);
});

test("closing throws unread refusals", async () => {
	const fake = await FakeAnthropic.start();
	const client = new Anthropic({ apiKey: fake.apiKey, baseURL: fake.url, maxRetries: 0, logLevel: "off" });
	await expect(eventsOf(client)).rejects.toMatchObject({ status: 400 });
	await expect(fake.close()).rejects.toThrow("request 1: nothing is scripted for it");
});
