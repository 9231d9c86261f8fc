import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { Config } from "../config/load.ts";
import { chooseProvider } from "../config/provider.ts";
import type { Settings } from "../config/schema.ts";
import { type Models, openModels } from "./open-models.ts";

const key = "sk-0123456789abcdef";

async function opened(
	{ model, ...settings }: Settings,
	environment: Readonly<Record<string, string>>,
	fallback: readonly string[] = [],
): Promise<Models> {
	await using data = await mkdtempDisposable(join(tmpdir(), "parley-open-providers-"));
	const choice = chooseProvider(settings, environment);
	const common = {
		listen: [],
		data: data.path,
		root: [],
		auth: "none",
		logLevel: "silent",
		allowedHosts: [],
	} as const;
	const config: Config = { ...common, ...choice, fallback, ...(model === undefined ? {} : { model }) };
	return await openModels({ config, clock: new ManualClock(), log: new MemoryLogger() });
}

async function serve(...names: readonly string[]) {
	const headers: IncomingHttpHeaders[] = [];
	const server = createServer((request, response) => {
		headers.push(request.headers);
		response.end(
			JSON.stringify({ data: request.url === "/v1/models" ? names.map((id) => ({ id })) : undefined }),
		);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		headers,
		[Symbol.dispose]() {
			server.closeAllConnections();
			server.close();
		},
	};
}

test("a server of the compatible API is queried for its model, with its key", async () => {
	using server = await serve("qwen");
	const providers = { mine: { baseUrl: server.url, key: "MINE" } };
	const models = await opened({ provider: "mine", models: { providers } }, { MINE: key });
	expect(models).toMatchObject({
		modelName: "qwen",
		anyModel: true,
		serverHost: new URL(server.url).host,
		model: { provider: "mine", defaultModel: "qwen" },
	});
	expect(models.served?.list("mine").map(({ id }) => id)).toEqual(["qwen"]);
	expect(server.headers[0]).toMatchObject({ authorization: `Bearer ${key}` });
	expect(server.headers[0]).not.toHaveProperty("x-api-key");
});

test("models of all providers can be chosen, and be fallbacks of each other", async () => {
	const environment = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key };
	const providers = { ollama: {} };
	const models = await opened({ models: { providers } }, environment, [
		"openai/new",
		"ollama/qwen3:8b",
		"fast",
	]);
	const { model, table } = models;
	expect(model.provider).toBe("anthropic");
	expect(model.routeOf?.("openai/new").provider).toBe("openai");
	expect(model.routeOf?.("ollama/qwen3:8b").provider).toBe("ollama");
	expect(model.routeOf?.("claude-sonnet-5-5").provider).toBe("anthropic");
	expect(table.admits("ollama/any")).toBe(true);
	await expect(opened({ model: "ollama/any", models: { providers } }, environment)).resolves.toMatchObject({
		modelName: "ollama/any",
		model: { defaultModel: "claude-sonnet-5-5" },
	});
	await expect(opened({ model: "mistral/any" }, environment)).rejects.toThrow(
		/the gateway does not use mistral; the operator must set MISTRAL_API_KEY, add "mistral": \{\}/,
	);
});

test("names of a private server never mean a provider that is only found by its key", async () => {
	using server = await serve("gpt-4.1", "openai/gpt-oss-120b");
	const lab = { baseUrl: server.url };
	const environment = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
	const settings = { provider: "lab", models: { providers: { lab } } };
	const { table, model } = await opened({ ...settings, model: "gpt-4.1" }, environment);
	for (const name of ["gpt-4.1", "openai/gpt-oss-120b", "claude-sonnet-5-5", "anthropic/claude-sonnet-5-5"]) {
		expect(table.find(name, "lab")?.id ?? name).toBe(name);
		expect(model.routeOf?.(name).provider).toBe("lab");
	}
	const named = { ...settings, model: "gpt-4.1", models: { providers: { lab, openai: {} } } };
	const both = await opened(named, environment);
	expect(both.model.routeOf?.("gpt-4.1").provider).toBe("lab");
	expect(both.table.find("gpt-6.2-sol", "lab")).toBeUndefined();
	expect(both.model.routeOf?.("openai/gpt-oss-120b").provider).toBe("openai");
});

test("a discovered name that begins with the name of another provider belongs to the server", async () => {
	using server = await serve("openai/gpt-oss-120b");
	const providers = { lab: { baseUrl: server.url }, openai: {} };
	const models = await opened({ provider: "lab", models: { providers } }, { OPENAI_API_KEY: key });
	expect(models.modelName).toBe("lab/openai/gpt-oss-120b");
	expect(models.model.routeOf?.(models.modelName ?? "").provider).toBe("lab");
	expect(models.served?.find("lab/openai/gpt-oss-120b", "lab")?.provider).toBe("lab");
});

test("Anthropic is one of the other providers if it is configured", async () => {
	using server = await serve("qwen");
	const settings = { provider: "vllm", baseUrl: server.url, models: { providers: { anthropic: {} } } };
	const { table, model } = await opened(settings, { ANTHROPIC_API_KEY: key });
	expect(model.routeOf?.("anthropic/claude-sonnet-5-5").provider).toBe("anthropic");
	expect(table.find("claude-sonnet-5-5", "vllm")).toBeUndefined();
	expect(table.find("anthropic/claude-sonnet-5-5", "vllm")?.id).toBe("anthropic/claude-sonnet-5-5");
	expect(table.find("anthropic/fast", "vllm")?.id).toBe("anthropic/claude-haiku-5-5");
});
