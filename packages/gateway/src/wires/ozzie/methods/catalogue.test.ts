import type { ModelInfo } from "@parley/core";
import { methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { encodeAgents, encodeModel } from "./catalogue.ts";

test("a listed agent has only its own settings", () => {
	const problems = [{ name: "broken", message: "config.toml: line 1: …" }];
	const encoded = encodeAgents({
		profiles: [
			{ name: "default", title: "Default", sampling: {} },
			{
				name: "poet",
				title: "Poet",
				instructions: "Rhyme.",
				model: "max",
				reasoning: "high",
				sampling: { temperature: 0.5, topP: 0.9, topK: 40, repeatPenalty: 1.1, maxTokens: 4096 },
				tools: ["read_file"],
				contextWindow: 20_000,
				endpoint: { url: "http://10.0.0.5:8080/secret/path", timeoutMs: 1_000 },
			},
		],
		problems,
	});
	expect(encoded).toEqual({
		agents: [
			{ name: "default", title: "Default", sampling: {} },
			{
				name: "poet",
				title: "Poet",
				model: "max",
				reasoning: "high",
				sampling: { temperature: 0.5, top_p: 0.9, top_k: 40, repeat_penalty: 1.1, max_tokens: 4096 },
				tools: ["read_file"],
				context_window: 20_000,
				server: "http://10.0.0.5:8080",
			},
		],
		problems,
	});
	expect(methods.list_agents.result.parse(encoded)).toEqual(encoded);
});

test("a listed model has its limits, and its prices if they are known", () => {
	const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
	const shownPrices = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
	const bare: ModelInfo = {
		id: "m",
		provider: "p",
		contextWindow: 200_000,
		maxOutput: 64_000,
		sampling: true,
		images: true,
		reasoning: "adaptive",
	};
	const shown = {
		name: "m",
		provider: "p",
		context_window: 200_000,
		max_output: 64_000,
		reasoning: "adaptive",
		images: true,
	};
	expect(encodeModel(bare)).toEqual(shown);
	const full = encodeModel({ ...bare, tier: "fast", prices, longPrompt: { above: 100_000, prices } });
	expect(full).toEqual({
		...shown,
		tier: "fast",
		prices: shownPrices,
		long_prompt: { above: 100_000, prices: shownPrices },
	});
	const paid = encodeModel({ ...bare, prices, isSubscription: true });
	expect(paid).toEqual({ ...shown, prices: shownPrices, subscription: true });
	const list = { default: "m", models: [encodeModel(bare), full, paid] };
	expect(methods.list_models.result.parse(list)).toEqual(list);
});
