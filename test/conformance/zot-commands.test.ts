import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { only, typesOf, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

/** A PNG of one pixel. */
const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

verifiesOn(
	"zot",
	["zot.prompt", "zot.messages", "zot.clear", "zot.usage-cumulative", "zot.message-time", "zot.one-of-each"],
	"prompts form one transcript, which can be read and cleared; the usage stays",
	async () => {
		await using agent = await ZotClient.start();
		expect(await agent.data({ id: "0", type: "get_messages" })).toEqual({ messages: [] });
		for (const id of ["1", "2"]) {
			expect(await agent.data({ id, type: "prompt", message: `say: ${id}` })).toEqual({ started: true });
			await agent.turn();
		}
		const messages = await agent.data({ id: "3", type: "get_messages" });
		expect(messages).toEqual({
			messages: ["say: 1", "[offline] 1", "say: 2", "[offline] 2"].map((text, at) => ({
				role: at % 2 === 0 ? "user" : "assistant",
				content: [{ type: "text", text }],
				time: expect.stringMatching(/Z$/),
			})),
		});
		const usage = only(agent.frames, "usage").at(-1)?.cumulative;
		expect(usage?.output).toBeGreaterThan(0);
		const before = { message_count: 4, busy: false, usage };
		expect(await agent.data({ id: "4", type: "get_state" })).toMatchObject(before);
		agent.send({ id: "5", type: "clear" }, { id: "6", type: "get_messages" });
		expect(await agent.response("5")).toEqual({
			...{ type: "response", id: "5", command: "clear", success: true },
		});
		expect(await agent.response("6")).toMatchObject({ data: { messages: [] } });
		expect(await agent.data({ id: "7", type: "get_state" })).toMatchObject({ ...before, message_count: 0 });
	},
);

verifiesOn(
	"zot",
	["zot.prompt-images", "zot.message-images", "zot.message-blocks"],
	"images reach the model, and are reported by their size",
	async () => {
		await using service = await FakeAnthropic.start();
		service.otherwise(says("A pixel."));
		await using agent = await ZotClient.start({ service });
		const data = png.toString("base64");
		const images = [
			{ mime_type: "image/png", data },
			{ mime_type: "image/png", data },
		];
		agent.send({ id: "1", type: "prompt", message: "what is this?", images });
		await agent.turn();
		agent.send({ id: "2", type: "prompt", images: images.slice(0, 1) });
		await agent.turn();
		agent.send({ id: "3", type: "prompt", message: "none", images: [] });
		await agent.turn();
		agent.send({ id: "4", type: "prompt", message: "none", images: null });
		await agent.turn();
		const text = { type: "text", text: "what is this?" };
		const image = { type: "image", mime_type: "image/png", bytes: png.length };
		const contents = only(agent.frames, "user_message").map(({ content }) => content);
		const none = [{ type: "text", text: "none" }];
		expect(contents).toEqual([[text, image, image], [image], none, none]);
		const { messages } = Object(await agent.data({ id: "5", type: "get_messages" }));
		const users = [0, 2, 4, 6].map((at) => messages[at].content);
		expect(users).toEqual(contents);
		const source = { type: "base64", media_type: "image/png", data };
		const shown = service.requests[0]?.body.messages[0]?.content;
		expect(shown).toEqual(
			expect.arrayContaining([
				expect.objectContaining({ type: "text", text: "what is this?" }),
				expect.objectContaining({ type: "image", source }),
			]),
		);
		expect(shown).toHaveLength(3);
	},
);

verifiesOn(
	"zot",
	["zot.abort", "zot.prompt-empty", "zot.clear-busy"],
	"an abort always succeeds, an empty prompt never starts, and changes during a prompt are refused",
	async () => {
		await using agent = await ZotClient.start();
		const aborted = { type: "response", id: "1", command: "abort", success: true };
		expect(await agent.ask({ id: "1", type: "abort" })).toEqual(aborted);
		for (const [id, message] of Object.entries({ e1: undefined, e2: "", e3: null, e4: " \n" })) {
			expect(await agent.ask({ id, type: "prompt", message })).toMatchObject({ success: false });
		}
		const before = await agent.data({ id: "2", type: "get_state" });
		expect(before).toMatchObject({ busy: false, message_count: 0 });
		agent.send(
			{ id: "3", type: "prompt", message: "say: one\nlong: 1000000 tokens at 20 per second" },
			{ id: "4", type: "clear" },
			{ id: "5", type: "set_model", model: "offline" },
			{ id: "6", type: "set_reasoning", reasoning: "high" },
		);
		for (const id of ["4", "5", "6"]) {
			expect(await agent.response(id)).toMatchObject({ success: false, error: "agent is busy" });
		}
		await agent.until("text_delta");
		expect(await agent.data({ id: "7", type: "abort" })).toBeUndefined();
		await agent.turn();
		expect(await agent.data({ id: "8", type: "get_state" })).toMatchObject({
			...{ busy: false, message_count: 2, reasoning: null, model: "offline" },
		});
		expect(await agent.ask({ id: "9", type: "abort" })).toMatchObject({ success: true });
		expect(typesOf(agent.frames).filter((type) => type === "done")).toHaveLength(1);
	},
);

verifiesOn(
	"zot",
	["zot.set-model", "zot.set-reasoning"],
	"the next prompt uses the set model and level of thinking",
	async () => {
		await using service = await FakeAnthropic.start();
		service.otherwise(says("Yes."));
		await using agent = await ZotClient.start({ service });
		expect(await agent.data({ id: "0", type: "hello" })).toMatchObject({
			...{ provider: "anthropic", model: "claude-sonnet-4-5" },
		});
		// Sends all commands in one chunk: the prompt must use the model that the first command sets.
		agent.send(
			{ id: "3", type: "set_model", model: "claude-opus-4-5" },
			{ id: "4", type: "set_reasoning", reasoning: "HIGH" },
			{ id: "5", type: "prompt", message: "is it you?" },
		);
		expect(await agent.response("3")).toMatchObject({ data: { model: "claude-opus-4-5" } });
		expect(await agent.response("4")).toMatchObject({ data: { reasoning: "high" } });
		await agent.turn();
		expect(service.requests[0]?.body).toMatchObject({
			...{ model: "claude-opus-4-5", thinking: { type: "enabled", budget_tokens: expect.any(Number) } },
		});
		agent.send({ type: "set_reasoning", reasoning: "off" }, { type: "prompt", message: "and now?" });
		await agent.turn();
		expect(service.requests[1]?.body.thinking ?? { type: "disabled" }).toEqual({ type: "disabled" });
		expect(service.requests[1]?.body.messages).toHaveLength(3);
		agent.send({ type: "clear" });
		expect(await agent.data({ id: "6", type: "get_state" })).toMatchObject({
			...{ model: "claude-opus-4-5", reasoning: "off", message_count: 0 },
		});
	},
);

verifiesOn(
	"zot",
	["zot.queue", "zot.cancel-queued", "zot.queue-full", "zot.abort-queue"],
	"queued prompts can be listed and cancelled, and have a maximum",
	async () => {
		await using agent = await ZotClient.start();
		expect(await agent.data({ id: "q0", type: "queue" })).toEqual({ active: null, queued: [] });
		const long = "long: 1000000 tokens at 20 per second";
		const waiting = Array.from({ length: 64 }, (_, at) => ({
			id: at,
			type: "prompt",
			message: `say: ${at}`,
		}));
		agent.send({ id: "p", type: "prompt", message: long }, ...waiting);
		const full = await agent.ask({ id: "one too many", type: "compact" });
		expect(full).toMatchObject({ success: false, error: expect.stringContaining("busy") });
		const listed = waiting.map((prompt) => ({ ...prompt, images: 0 }));
		expect(await agent.data({ id: "q1", type: "queue" })).toEqual({
			...{ active: { id: "p", type: "prompt", message: long, images: 0 }, queued: listed },
		});
		for (const { id } of waiting.slice(2)) agent.send({ type: "cancel_queued", request_id: id });
		const unknown = await agent.ask({ id: "x", type: "cancel_queued", request_id: "0" });
		expect(unknown).toMatchObject({ success: false, error: expect.stringContaining('"0"') });
		expect(await agent.response(63)).toMatchObject({ command: "prompt", success: false });
		expect(await agent.data({ id: "q2", type: "queue" })).toMatchObject({ queued: listed.slice(0, 2) });
		expect(await agent.data({ id: "a", type: "abort" })).toBeUndefined();
		expect(await agent.end()).toEqual({ code: 0, signal: null });
		expect(only(agent.frames, "done").map(({ request_id }) => request_id)).toEqual(["p", 0, 1]);
		const stops = only(agent.frames, "turn_end").map(({ stop }) => stop);
		expect(stops).toEqual(["aborted", "end_turn", "end_turn"]);
	},
);

verifiesOn(
	"zot",
	["zot.models", "zot.set-model-unknown", "zot.set-model-provider"],
	"the provider's models are listed, and other models cannot be set",
	async () => {
		const flags = ["--provider", "anthropic", "--api-key", "sk-ant-none", "--model", "claude-sonnet-4-5"];
		await using agent = await ZotClient.start({ flags });
		const { models } = Object(await agent.data({ id: "1", type: "get_models" }));
		expect(models.length).toBeGreaterThan(10);
		const providers = models.map(({ provider }: { provider: string }) => provider);
		expect([...new Set(providers)]).toEqual(["anthropic"]);
		expect(models).toContainEqual({
			...{ id: "claude-sonnet-4-5", provider: "anthropic", context_window: 200_000, max_output: 64_000 },
			...{ reasoning: true, usd_per_million: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 } },
		});
		const misspelt = await agent.ask({ id: "2", type: "set_model", model: "claude-sonet-4-6" });
		expect(misspelt).toMatchObject({ success: false, error: expect.stringContaining("claude-sonnet-4-6") });
		for (const [id, model] of Object.entries({ w1: "", w2: "offline", w3: "gpt-5" })) {
			expect(await agent.ask({ id, type: "set_model", model })).toMatchObject({ success: false });
		}
		expect(await agent.data({ id: "3", type: "get_state" })).toMatchObject({ model: "claude-sonnet-4-5" });
	},
);
