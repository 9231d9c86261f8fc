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
import { type Models, openModels } from "./open-models.ts";

type Told = Partial<Config> & { readonly table?: object };

/** The models of a configuration; `table` is the operator's file. */
async function opened({ table, ...told }: Told, model?: ScriptedModel): Promise<Models> {
	await using data = await mkdtempDisposable(join(tmpdir(), "parley-open-models-"));
	if (table) await writeFile(join(data.path, "models.json"), JSON.stringify(table));
	const config: Config = {
		...{ listen: [], data: data.path, root: [], provider: "anthropic", auth: "none" },
		...{ logLevel: "silent", allowedHosts: [], ...told },
	};
	return await openModels({
		config,
		clock: new ManualClock(),
		log: new MemoryLogger(),
		model,
	});
}

const apiKey = "sk-ant-0123456789abcdef";
const baseUrl = "http://127.0.0.1:9";

test("the offline assistant needs nothing, and has neither another model nor a fallback", async () => {
	const models = await opened({
		...{ provider: "offline", providerReason: "no key", model: "fast", fallback: ["fast"] },
	});
	expect(models).toMatchObject({
		...{ fallback: [], anyModel: false, serverHost: undefined, providerReason: "no key" },
		model: { provider: "offline", defaultModel: "offline" },
	});
	expect(models).not.toHaveProperty("modelName");
	await models.preload();
});

test("with a key the newest standard model answers, unless another one is chosen by name or tier", async () => {
	const models = await opened({ apiKey, providerReason: "key" });
	const standard = models.table.find("standard", "anthropic")?.id;
	expect(standard).toMatch(/^claude-sonnet/);
	expect(models).toMatchObject({
		...{ modelName: standard, fallback: [], anyModel: false, serverHost: undefined, providerReason: "key" },
		model: { provider: "anthropic", defaultModel: standard },
	});
	const fast = models.table.find("fast", "anthropic")?.id;
	await expect(opened({ apiKey, model: "fast" })).resolves.toMatchObject({ modelName: fast });
	await expect(opened({ apiKey, model: `${fast}` })).resolves.toMatchObject({ modelName: fast });
	await expect(opened({ apiKey, fallback: ["fast"] })).resolves.toMatchObject({ fallback: ["fast"] });
});

test.each<[string, Told, RegExp]>([
	[
		"model",
		{ model: "claude-sonet-5-5" },
		/^model: there is no model "claude-sonet-5-5"; did you mean .*claude-sonnet.*\?/,
	],
	["model", { model: "xyzzy" }, /^model: there is no model "xyzzy"; the tiers are .*fast \(claude-haiku/],
	["fallback", { fallback: ["fast", "gpt-5"] }, /^models.fallback: there is no model "gpt-5"; .*models.json/],
])("an unknown %s is refused at the vendor's own address with what was meant", async (_, told, message) => {
	await expect(opened({ apiKey, ...told })).rejects.toMatchObject({
		...{ code: "invalid_argument", message: expect.stringMatching(message) },
	});
});

test("a model that the operator has described can be chosen", async () => {
	const table = { models: [{ id: "claude-next", context_window: 1_000_000, max_output: 1_000 }] };
	await expect(opened({ apiKey, model: "claude-next", table })).resolves.toMatchObject({
		...{ modelName: "claude-next", anyModel: false },
	});
});

test("another server may have any model, and is named", async () => {
	const models = await opened({
		baseUrl,
		model: "gemma:27b",
		fallback: ["llama"],
		providerReason: "base-url",
	});
	expect(models).toMatchObject({
		...{ modelName: "gemma:27b", fallback: ["llama"], anyModel: true, serverHost: "127.0.0.1:9" },
		...{ providerReason: "base-url", model: { provider: "anthropic", defaultModel: "gemma:27b" } },
	});
});

test("another server is asked for its model where none was chosen", async () => {
	const server = createServer((_, response) => response.end('{"data":[{"id":"gemma.gguf"}]}'));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// A server on a port has an address of this form.
	const { port } = server.address() as AddressInfo;
	await expect(opened({ baseUrl: `http://127.0.0.1:${port}` })).resolves.toMatchObject({
		...{ modelName: "gemma.gguf", anyModel: true },
	});
	server.closeAllConnections();
	server.close();
	await expect(opened({ baseUrl: `http://127.0.0.1:${port}` })).rejects.toThrow(
		/name the model .* with --model$/,
	);
});

test("a model that is given answers instead of the configured one", async () => {
	const model = new ScriptedModel();
	const models = await opened({ provider: "offline", model: "mine" }, model);
	expect(models).toMatchObject({ modelName: "mine", providerReason: "configured" });
	expect(models.model).toBe(model);
});

test("a server of an agent profile has one model, and a slower one another", async () => {
	const { modelAt } = await opened({ apiKey });
	const url = "http://127.0.0.1:9";
	expect(modelAt({ url })).toBe(modelAt({ url }));
	expect(modelAt({ url, timeoutMs: 1_000 })).not.toBe(modelAt({ url }));
	expect(modelAt({ url: "http://127.0.0.1:10" })).not.toBe(modelAt({ url }));
});
