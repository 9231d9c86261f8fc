import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { ScriptedModel } from "@parley/core/testing";
import { expect, test } from "vitest";
import type { Config } from "../config/load.ts";
import { serveHttp } from "../testing/serve-http.ts";
import { type Models, openModels } from "./open-models.ts";

type Given = Partial<Config> & { readonly table?: object; readonly log?: MemoryLogger };

async function opened({ table, log, ...given }: Given, model?: ScriptedModel): Promise<Models> {
	await using data = await mkdtempDisposable(join(tmpdir(), "parley-open-models-"));
	if (table) await writeFile(join(data.path, "models.json"), JSON.stringify(table));
	const config: Config = {
		listen: [],
		data: data.path,
		root: [],
		provider: "anthropic",
		auth: "none",
		logLevel: "silent",
		allowedHosts: [],
		...given,
	};
	return await openModels({
		config,
		clock: new ManualClock(),
		log: log ?? new MemoryLogger(),
		model,
	});
}

const apiKey = "sk-ant-0123456789abcdef";
const baseUrl = "http://127.0.0.1:9";

test("the offline model needs no settings, and has neither another model nor a fallback", async () => {
	const models = await opened({
		provider: "offline",
		providerReason: "no key",
		model: "fast",
		fallback: ["fast"],
	});
	expect(models).toMatchObject({
		fallback: [],
		anyModel: false,
		serverHost: undefined,
		providerReason: "no key",
		model: { provider: "offline", defaultModel: "offline" },
	});
	expect(models).not.toHaveProperty("modelName");
});

test("settings that the offline model ignores are logged", async () => {
	const log = new MemoryLogger();
	await opened({ provider: "offline", log });
	expect(log.records).toEqual([]);
	await opened({ provider: "offline", model: "fast", fallback: ["max"], log });
	expect(log.records).toMatchObject([
		{
			level: "warn",
			message: expect.stringContaining("are ignored"),
			fields: { model: "fast", fallback: ["max"] },
		},
	]);
});

test("with a key the newest standard model is used, unless another one is chosen by name or tier", async () => {
	const models = await opened({ apiKey, providerReason: "key" });
	const standard = models.table.find("standard", "anthropic")?.id;
	expect(standard).toMatch(/^claude-sonnet/);
	expect(models).toMatchObject({
		modelName: standard,
		fallback: [],
		anyModel: false,
		serverHost: undefined,
		providerReason: "key",
		model: { provider: "anthropic", defaultModel: standard },
	});
	const fast = models.table.find("fast", "anthropic")?.id;
	await expect(opened({ apiKey, model: "fast" })).resolves.toMatchObject({ modelName: fast });
	await expect(opened({ apiKey, model: `${fast}` })).resolves.toMatchObject({ modelName: fast });
	await expect(opened({ apiKey, fallback: ["fast"] })).resolves.toMatchObject({ fallback: ["fast"] });
});

test.each<[string, Given, RegExp]>([
	[
		"model",
		{ model: "claude-sonet-5-5", origins: { model: "PARLEY_MODEL" } },
		/^"claude-sonet-5-5" is not allowed for model \(PARLEY_MODEL\): no model has this name \(did you mean claude-sonnet-5-5, .* or .*\?\); allowed: a tier: /,
	],
	[
		"model",
		{ model: "gpt-5", origins: { model: "--model" } },
		/^"gpt-5" is not allowed for model \(--model\): no model has this name; allowed: .*fast \(claude-haiku.*models.json/,
	],
	[
		"fallback",
		{ fallback: ["fast", "gpt-5"], origins: { fallback: ["a.json:2:3", "a.json:2:9"] } },
		/^"gpt-5" is not allowed for models.fallback \(a.json:2:9\): no model has this name; /,
	],
])("an unknown %s is refused at the vendor's own address with its place", async (_, given, message) => {
	await expect(opened({ apiKey, ...given })).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringMatching(message),
	});
});

test("models of agents are known at the vendor's own address only", async () => {
	const { checkModel } = await opened({ apiKey });
	expect(() => checkModel?.("fast")).not.toThrow();
	expect(() => checkModel?.("gpt-5")).toThrow(/^"gpt-5" is not allowed for model: no model has this name; /);
	await expect(opened({ baseUrl, model: "m" })).resolves.not.toHaveProperty("checkModel");
	await expect(opened({ provider: "offline" })).resolves.not.toHaveProperty("checkModel");
});

test("only described models and the active one of another server are listed", async () => {
	const table = {
		models: [
			{ id: "gemma", context_window: 8_192, max_output: 1_000, tier: "fast" },
			{ id: "claude-opus-5", prices: { input: 1, output: 2 } },
		],
	};
	const names = async (given: Given) => {
		const models = await opened({ apiKey, ...given });
		return models.table.list("anthropic").map(({ id }) => id);
	};
	expect(await names({ baseUrl, model: "llama", table })).toEqual(["claude-opus-5", "gemma"]);
	expect(await names({ baseUrl, model: "llama" })).toEqual([]);
	expect(await names({ baseUrl, model: "standard" })).toEqual(["claude-sonnet-5-5"]);
	expect(await names({ table })).toContain("claude-haiku-5-5");
	const { table: known } = await opened({ baseUrl, model: "llama" });
	expect(known.find("claude-haiku-5-5", "anthropic")?.prices).toBeDefined();
});

test("a model that the operator has described can be chosen", async () => {
	const table = { models: [{ id: "claude-next", context_window: 1_000_000, max_output: 1_000 }] };
	await expect(opened({ apiKey, model: "claude-next", table })).resolves.toMatchObject({
		modelName: "claude-next",
		anyModel: false,
	});
});

test("another server may have any model, and is named in the health report", async () => {
	const models = await opened({
		baseUrl,
		model: "gemma:27b",
		fallback: ["llama"],
		providerReason: "base-url",
	});
	expect(models).toMatchObject({
		modelName: "gemma:27b",
		fallback: ["llama"],
		anyModel: true,
		serverHost: "127.0.0.1:9",
		providerReason: "base-url",
		model: { provider: "anthropic", defaultModel: "gemma:27b" },
	});
});

async function serve(...names: readonly string[]) {
	const data = names.map((id) => ({ id }));
	const server = createServer((_, response) => response.end(JSON.stringify({ data })));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}`,
		[Symbol.dispose]() {
			server.closeAllConnections();
			server.close();
		},
	};
}

test("another server is queried for its model if none was chosen", async () => {
	using server = await serve("gemma.gguf");
	const { baseUrl: url } = server;
	await expect(opened({ baseUrl: url })).resolves.toMatchObject({
		modelName: "gemma.gguf",
		anyModel: true,
	});
	server[Symbol.dispose]();
	await expect(opened({ baseUrl: url })).rejects.toThrow(/connection refused/);
});

test("models of another server have the operator's facts, or assumed ones", async () => {
	using server = await serve("gemma.gguf", "claude-sonnet-5-5", "fast");
	const described = { id: "llama", context_window: 8_192, max_output: 1_000 };
	const { served, table } = await opened({ baseUrl: server.baseUrl, table: { models: [described] } });
	expect(served?.list("anthropic").map(({ id }) => id)).toEqual([
		...["gemma.gguf", "claude-sonnet-5-5", "fast", "llama"],
	]);
	expect(served?.find("gemma.gguf", "anthropic")).toMatchObject({
		contextWindow: 32_768,
		maxOutput: 8_192,
		reasoning: "none",
		images: true,
	});
	expect(served?.find("fast", "anthropic")?.id).toBe("fast");
	expect(served?.find("claude-sonnet-5-5", "anthropic")).toEqual(
		table.find("claude-sonnet-5-5", "anthropic"),
	);
	expect(served?.find("claude-haiku-5-5", "anthropic")).toBeUndefined();
	await expect(opened({ baseUrl: server.baseUrl, model: "m" })).resolves.not.toHaveProperty("served");
	await expect(opened({ apiKey })).resolves.not.toHaveProperty("served");
});

test("a given model is used instead of the configured one", async () => {
	const model = new ScriptedModel();
	const models = await opened({ provider: "offline", model: "mine" }, model);
	expect(models).toMatchObject({ modelName: "mine", providerReason: "configured" });
	expect(models.model).toBe(model);
});

test("agent profiles with the same server share a model object, and a profile with another timeout has its own", async () => {
	const { modelAt } = await opened({ apiKey });
	const url = "http://127.0.0.1:9";
	expect(modelAt({ url })).toBe(modelAt({ url }));
	expect(modelAt({ url, timeoutMs: 1_000 })).not.toBe(modelAt({ url }));
	expect(modelAt({ url: "http://127.0.0.1:10" })).not.toBe(modelAt({ url }));
	expect(modelAt({ url, api: "messages" })).toBe(modelAt({ url }));
	expect(modelAt({ url }).provider).toBe("anthropic");
	expect(modelAt({ url, api: "chat-completions" }).provider).toBe("endpoint");
});

test("a server of an agent profile with the Chat Completions API is called at its address without a key", async () => {
	const received: string[] = [];
	await using server = await serveHttp((request, response) => {
		received.push(`${request.method} ${request.url} ${request.headers.authorization ?? "no key"}`);
		response.setHeader("content-type", "text/event-stream");
		response.end('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
	});
	const { modelAt } = await opened({ apiKey });
	const model = modelAt({ url: server.baseUrl, api: "chat-completions" });
	const message = { role: "user", content: [{ type: "text", text: "Hello" }] } as const;
	const request = { model: "m", system: "", messages: [message], tools: [] };
	const events = await Array.fromAsync(model.stream(request, new AbortController().signal));
	expect(events.at(-1)).toMatchObject({ type: "end", stop: "end_turn" });
	expect(received).toEqual(["POST /v1/chat/completions no key"]);
});
