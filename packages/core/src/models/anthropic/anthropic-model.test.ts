import { parseJson } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ModelEvent, ModelRequest } from "../../vocabulary/model.ts";
import { type ModelInfo, ModelTable } from "../table/model-table.ts";
import { type AnthropicOptions, createAnthropicModel } from "./anthropic-model.ts";

const known: ModelInfo = {
	id: "claude-x",
	provider: "anthropic",
	contextWindow: 200_000,
	maxOutput: 64_000,
	reasoning: "none",
	sampling: false,
	images: true,
	tier: "standard",
};

const request: ModelRequest = {
	model: "claude-x",
	system: "You help.",
	messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
	tools: [],
};

const frame = (data: { readonly type: string; readonly error?: object }) =>
	`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const messageDelta = (usage: object = { output_tokens: 3 }) =>
	[
		{
			type: "message_start",
			message: { model: "claude-x-1", usage: { input_tokens: 5, output_tokens: 1 } },
		},
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
		{ type: "message_stop" },
	].map(frame);

type Fetch = typeof fetch;
interface SentRequest {
	readonly url: string;
	readonly init: RequestInit;
	readonly headers: Headers;
}

function providing(answer: (sent: SentRequest) => Response | Promise<Response>) {
	const sent: SentRequest[] = [];
	const answering: Fetch = async (input, init = {}) => {
		sent.push({ url: String(input), init, headers: new Headers(init.headers) });
		return answer({ url: String(input), init, headers: new Headers(init.headers) });
	};
	return { sent, fetch: answering };
}

function streaming(chunks: readonly string[], status = 200): Response {
	const body = ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
	return new Response(body, { status, headers: { "content-type": "text/event-stream" } });
}

function hanging({ init }: SentRequest, chunks: readonly string[] = []): Response {
	const body = new ReadableStream({
		start(controller) {
			for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
			init.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function create(
	answer: (sent: SentRequest) => Response | Promise<Response>,
	options: Partial<AnthropicOptions> = {},
) {
	const clock = new ManualClock();
	const log = new MemoryLogger();
	const { sent, fetch: answering } = providing(answer);
	const table = new ModelTable([known]);
	const model = createAnthropicModel({ apiKey: "sk-1", table, clock, log, fetch: answering, ...options });
	return { clock, log, sent, model };
}

const never = new AbortController().signal;
const all = (events: AsyncIterable<ModelEvent>) => Array.fromAsync(events);

test("a reply contains all fields, and each request contains the options of its provider", async () => {
	const { model, sent, clock } = create(() => streaming(messageDelta()));
	const events = await all(model.stream(request, never));
	expect(events.map(({ type }) => type)).toEqual(["started", "usage", "text", "usage", "end"]);
	expect(events.at(-1)).toMatchObject({ stop: "end_turn", model: "claude-x-1", usage: { outputTokens: 3 } });
	expect(sent).toHaveLength(1);
	expect(sent[0]?.url).toBe("https://api.anthropic.com/v1/messages");
	expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-1");
	expect(sent[0]?.init).toMatchObject({ method: "POST", redirect: "manual" });
	expect(parseJson(String(sent[0]?.init.body))).toMatchObject({ model: "claude-x", stream: true });
	expect(clock.pending).toBe(0);
});

test("a reply starts with the response headers, and an error never starts one", async () => {
	const { model } = create((sent) => hanging(sent));
	const events = model.stream(request, never)[Symbol.asyncIterator]();
	expect((await events.next()).value).toEqual({ type: "started" });
	const refusing = create(() => streaming([], 401))
		.model.stream(request, never)
		[Symbol.asyncIterator]();
	await expect(refusing.next()).rejects.toMatchObject({ fault: "unauthenticated" });
});

test("the default model comes from the table unless another model is set", () => {
	expect(create(() => streaming([])).model).toMatchObject({
		provider: "anthropic",
		defaultModel: "claude-x",
	});
	expect(create(() => streaming([]), { defaultModel: "mine" }).model.defaultModel).toBe("mine");
	const table = new ModelTable([]);
	expect(() => create(() => streaming([]), { table })).toThrow(
		"no model is set, and anthropic has no default model: name a model with --model",
	);
});

test("a custom server needs no key, and gets no made-up key", async () => {
	const { model, sent } = create(() => streaming(messageDelta()), {
		apiKey: undefined,
		baseUrl: "http://127.0.0.1:8080/llm/v1/",
	});
	await all(model.stream(request, never));
	expect(sent[0]?.url).toBe("http://127.0.0.1:8080/llm/v1/messages");
	expect(sent[0]?.headers.has("authorization")).toBe(false);
	expect(sent[0]?.headers.has("x-api-key")).toBe(false);
});

test.each([undefined, ""])("the Anthropic API needs a key, not %j", async (apiKey) => {
	const { model, sent } = create(() => streaming(messageDelta()), { apiKey });
	const failure = {
		fault: "unauthenticated",
		message: "api.anthropic.com needs an API key: set ANTHROPIC_API_KEY",
	};
	await expect(all(model.stream(request, never))).rejects.toMatchObject(failure);
	await expect(model.countTokens?.(request, never)).rejects.toMatchObject(failure);
	expect(sent).toEqual([]);
});

test.each(["ftp://x", "127.0.0.1:8080", "http://", "https://me:secret@host/"])(
	"%s is refused as a base URL, without its password in the error",
	(baseUrl) => {
		const create_ = () => create(() => streaming([]), { baseUrl });
		expect(create_).toThrow(expect.objectContaining({ code: "invalid_argument" }));
		expect(create_).not.toThrow(/secret/);
	},
);

test("a key that no header can contain is refused, and the error does not repeat it", () => {
	const create_ = () => create(() => streaming([]), { apiKey: "sk-\n1" });
	expect(create_).toThrow(expect.objectContaining({ code: "invalid_argument" }));
	expect(create_).not.toThrow(/sk-/);
});

test("settings that a model does not support are left out, which is logged once", async () => {
	const { model, log, sent } = create(() => streaming(messageDelta()));
	for (let time = 0; time < 2; time++) {
		await all(model.stream({ ...request, sampling: { temperature: 1, topK: 3 } }, never));
	}
	expect(log.records).toMatchObject([
		{ level: "warn", fields: { model: "claude-x", settings: ["temperature", "topK"] } },
	]);
	expect(String(sent[1]?.init.body)).not.toContain("temperature");
});

test("invalid token counts are noted, once for each reply", async () => {
	const { model, log } = create(() => streaming(messageDelta({ output_tokens: 1e18 })));
	expect((await all(model.stream(request, never))).at(-1)).toMatchObject({ usage: { outputTokens: 1e9 } });
	expect(log.records).toMatchObject([{ level: "warn", fields: { model: "claude-x" } }]);
});

const page = "<html>no such thing</html>";

test.each([
	[401, page, "unauthenticated"],
	[404, page, "rejected"],
	[302, "", "rejected"],
	[500, page, "overloaded"],
	[529, page, "overloaded"],
])("an answer with status %i is tried once", async (status, body, fault) => {
	const { model, sent, clock } = create(
		() => new Response(body, { status, headers: { "retry-after": "7" } }),
	);
	const error = await all(model.stream(request, never)).catch((reason: unknown) => reason);
	expect(error).toMatchObject({ fault, retryAfterMs: 7000, message: expect.not.stringContaining("html") });
	expect(sent).toHaveLength(1);
	expect(clock.pending).toBe(0);
});

test("an error with an endless explanation is cut", async () => {
	let sent = 0;
	async function* endless(): AsyncGenerator<Uint8Array> {
		for (;;) {
			sent += 1 << 14;
			yield new Uint8Array(1 << 14);
		}
	}
	const { model } = create(() => new Response(ReadableStream.from(endless()), { status: 500 }));
	await expect(all(model.stream(request, never))).rejects.toMatchObject({ fault: "overloaded" });
	expect(sent).toBeLessThan(1 << 18);
});

test("an error is reported without its explanation if the explanation does not arrive", async () => {
	const waits = Promise.withResolvers<void>();
	const { model, clock } = create(({ init }) => {
		const body = new ReadableStream(
			{
				start: (controller) =>
					init.signal?.addEventListener("abort", () => controller.error(init.signal?.reason)),
				pull: () => waits.resolve(),
			},
			{ highWaterMark: 0 },
		);
		return new Response(body, { status: 401 });
	});
	const failed = expect(all(model.stream(request, never))).rejects.toMatchObject({
		fault: "unauthenticated",
	});
	await waits.promise;
	clock.advance(5000);
	await failed;
});

const first = messageDelta().slice(0, 3);
const errorEvent = (type: string) => frame({ type: "error", error: { type, message: "so it is" } });

test.each([
	["an error at once", [errorEvent("overloaded_error")], "overloaded"],
	["an error later", [...first, errorEvent("rate_limit_error")], "rate-limited"],
	["nothing", [], "interrupted"],
	["no end", messageDelta().slice(0, -1), "interrupted"],
	["data that is not JSON", [...first, "event: message_delta\ndata: {oops\n\n"], "interrupted"],
	["data that is no event", [...first, "event: message_delta\ndata: null\n\n"], "interrupted"],
	["NUL", [...first, 'event: message_delta\ndata: {"type":"\0"}\n\n'], "interrupted"],
	["events out of order", messageDelta().toReversed(), "interrupted"],
	["a line without end", [...first, "x".repeat(2 << 20)], "interrupted"],
	["something that is no stream", ['{"type":"message","content":[]}'], "interrupted"],
])("a response that has %s is an error", async (_name, chunks, fault) => {
	const { model, clock } = create(() => streaming(chunks));
	await expect(all(model.stream(request, never))).rejects.toMatchObject({ fault });
	expect(clock.pending).toBe(0);
});

test.each([
	["lines end with \\r\\n", (text: string) => text.replaceAll("\n", "\r\n")],
	["a byte order mark", (text: string) => `\ufeff${text}`],
	["comments and other fields", (text: string) => `: hello\nid: 1\nretry: 5\n\n${text}`],
	["pings", (text: string) => `event: ping\ndata: {"type": "ping"}\n\n${text}`],
	["an event that is unknown", (text: string) => `event: news\ndata: {"type": "news"}\n\n${text}`],
])("a response with an unusual form is complete: %s", async (_name, change) => {
	const { model } = create(() => streaming([change(messageDelta().join(""))]));
	expect((await all(model.stream(request, never))).at(-1)).toMatchObject({ type: "end" });
});

test("invalid UTF-8 damages only its own text", async () => {
	const full = Buffer.from(messageDelta().join("").replace('"hi"', '"h\u0001"'), "latin1");
	full[full.indexOf(1)] = 0xff;
	const { model } = create(() => new Response(full));
	expect(await all(model.stream(request, never))).toContainEqual({ type: "text", text: "h\ufffd" });
});

test("a missing response times out after a minute", async () => {
	const reached = Promise.withResolvers<void>();
	const { model, clock } = create(
		({ init }) =>
			new Promise((_, reject) => {
				init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
				reached.resolve();
			}),
	);
	const failed = expect(all(model.stream(request, never))).rejects.toMatchObject({
		fault: "timeout",
		message: "api.anthropic.com: the server did not answer within 60 s",
	});
	await reached.promise;
	clock.advance(60_000);
	await failed;
	expect(clock.pending).toBe(0);
});

test("a response that stops arriving times out", async () => {
	const { model, clock } = create((sent) => hanging(sent, first));
	const events = model.stream(request, never)[Symbol.asyncIterator]();
	for (const _ of ["started", "usage", "text"]) await events.next();
	const failed = expect(events.next()).rejects.toMatchObject({ fault: "timeout" });
	// Waits until the stream has requested the next chunk.
	await new Promise(setImmediate);
	clock.advance(45_000);
	await failed;
});

test("a call that is cancelled stops at once", async () => {
	const controller = new AbortController();
	const { model, clock } = create((sent) => hanging(sent, first));
	const events = model.stream(request, controller.signal)[Symbol.asyncIterator]();
	for (const _ of ["started", "usage", "text"]) await events.next();
	const failed = expect(events.next()).rejects.toMatchObject({ code: "cancelled" });
	controller.abort();
	await failed;
	expect(clock.pending).toBe(0);
	const before = create(() => streaming(messageDelta()));
	await expect(all(before.model.stream(request, controller.signal))).rejects.toMatchObject({
		code: "cancelled",
	});
	expect(before.sent).toEqual([]);
});

test("the request ends if its reader stops", async () => {
	let signal: AbortSignal | null | undefined;
	const { model, clock } = create((sent) => {
		signal = sent.init.signal;
		return hanging(sent, first);
	});
	for await (const _ of model.stream(request, never)) break;
	expect(signal?.aborted).toBe(true);
	expect(clock.pending).toBe(0);
});

test("a complete reply remains complete after any change of the connection", async () => {
	const sent = Promise.withResolvers<void>();
	const { model, clock } = create((request) => hanging(request, messageDelta()));
	const events: ModelEvent[] = [];
	const done = (async () => {
		for await (const event of model.stream(request, never)) {
			events.push(event);
			if (event.type === "end") sent.resolve();
		}
	})();
	await sent.promise;
	await new Promise(setImmediate);
	clock.advance(1000);
	await done;
	expect(events.at(-1)).toMatchObject({ type: "end" });
	expect(clock.pending).toBe(0);
});

test("tokens are counted by the provider", async () => {
	const { model, sent } = create(() => Response.json({ input_tokens: 42 }));
	expect(await model.countTokens?.(request, never)).toBe(42);
	expect(sent[0]?.url).toBe("https://api.anthropic.com/v1/messages/count_tokens");
	expect(parseJson(String(sent[0]?.init.body))).not.toHaveProperty("max_tokens");
	const answers = [{}, [], { input_tokens: -1 }, { input_tokens: "1" }].map((body) => Response.json(body));
	for (const answer of [...answers, new Response(null, { status: 204 }), new Response("forty-two")]) {
		expect(await create(() => answer).model.countTokens?.(request, never)).toBe(undefined);
	}
});

test.each([404, 405, 501])("a server that cannot count (%i) is not asked again", async (status) => {
	const { model, sent } = create(() => new Response("", { status }), { baseUrl: "http://127.0.0.1:8080" });
	for (let time = 0; time < 3; time++) expect(await model.countTokens?.(request, never)).toBe(undefined);
	expect(sent).toHaveLength(1);
});

test("a failed count has the error of a failed reply", async () => {
	const counting = (answer: () => Response) => create(answer).model.countTokens?.(request, never);
	await expect(counting(() => new Response("", { status: 404 }))).rejects.toMatchObject({
		fault: "rejected",
	});
	await expect(counting(() => new Response("", { status: 529 }))).rejects.toMatchObject({
		fault: "overloaded",
	});
	const broken = new Response("{", { headers: { "content-type": "application/json" } });
	await expect(counting(() => broken)).rejects.toMatchObject({ fault: "interrupted" });
});

test("a count waits at most ten seconds", async () => {
	const reached = Promise.withResolvers<void>();
	const { model, clock } = create((sent) => {
		reached.resolve();
		return hanging(sent);
	});
	const failed = expect(model.countTokens?.(request, never)).rejects.toMatchObject({ fault: "timeout" });
	await reached.promise;
	await new Promise(setImmediate);
	clock.advance(10_000);
	await failed;
});

test("the client prints no warnings, also about models that will be retired", async () => {
	const printed = vi.spyOn(console, "warn").mockImplementation(() => undefined);
	onTestFinished(() => printed.mockRestore());
	const { model } = create(() => streaming(messageDelta()));
	for (const name of ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"]) {
		await Array.fromAsync(model.stream({ ...request, model: name }, never));
	}
	expect(printed).not.toHaveBeenCalled();
});
