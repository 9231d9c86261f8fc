import { expect, test } from "vitest";
import type { Usage } from "../../vocabulary/usage.ts";
import { builtinModels } from "./builtin-models.ts";
import { costOf, type ModelInfo, ModelTable } from "./model-table.ts";

const table = new ModelTable(builtinModels);

test.each([
	["claude-opus-4-8", "anthropic", "claude-opus-4-8"],
	["fast", "anthropic", "claude-haiku-5-5"],
	["standard", "anthropic", "claude-sonnet-5-5"],
	["max", "anthropic", "claude-opus-5-5"],
	["fast", "openai", "gpt-6-luna"],
	["standard", "openai", "gpt-6.2-sol"],
	["max", "gemini", "gemini-4-carbon"],
	["standard", "kimi", "kimi-for-coding"],
	["max", "moonshot", "kimi-k3"],
	["offline", "offline", "offline"],
	["max", "offline", "offline"],
])("%s of %s is %s", (name, provider, id) => {
	expect(table.find(name, provider)).toMatchObject({ id, provider });
});

test.each([
	["claude-opus-5-5", "offline"],
	["offline", "anthropic"],
	["Fast", "anthropic"],
	["", "anthropic"],
	["fast", "nobody"],
])("%j of %s is unknown", (name, provider) => {
	expect(table.find(name, provider)).toBeUndefined();
});

test("each provider has a default, and its own list", () => {
	expect(table.defaultOf("anthropic")?.id).toBe("claude-sonnet-5-5");
	expect(table.defaultOf("offline")?.id).toBe("offline");
	expect(table.defaultOf("nobody")).toBeUndefined();
	expect(table.list("offline").map(({ id }) => id)).toEqual(["offline"]);
	const providers = ["anthropic", "openai", "gemini", "kimi", "moonshot", "offline"];
	expect(table.list()).toHaveLength(providers.flatMap((name) => table.list(name)).length);
});

test("a model that is not listed is still found", () => {
	const opus = table.list("anthropic").filter(({ id }) => id === "claude-opus-5");
	const some = new ModelTable(table.list(), opus);
	expect(some.list()).toEqual(opus);
	expect(some.list("anthropic")).toEqual(opus);
	expect(some.list("offline")).toEqual([]);
	expect(some.find("fast", "anthropic")).toEqual(table.find("fast", "anthropic"));
	expect(some.defaultOf("anthropic")).toEqual(table.defaultOf("anthropic"));
	expect(some.near("haiku", "anthropic")).toEqual(table.near("haiku", "anthropic"));
});

test.each([
	["claude-sonet-5-5", "claude-sonnet-5-5"],
	["Claude Opus 5.5", "claude-opus-5-5"],
	["haiku", "claude-haiku-5-5"],
	["standart", "standard"],
	["claude-3-opus-latest", "claude-opus-5-5"],
])("%s gets the suggestion %s", (name, suggestion) => {
	const near = table.near(name, "anthropic");
	expect(near[0]).toBe(suggestion);
	expect(near.length).toBeLessThanOrEqual(3);
});

test.each(["gpt-4o", "gpt-5", "gpt-5-5", "5-5", "llama3.2:3b", "", "🦙"])(
	"%j is similar to no name",
	(name) => {
		expect(table.near(name, "anthropic")).toEqual([]);
	},
);

const usage = (input: number, output: number, read = 0, write = 0): Usage => ({
	inputTokens: input,
	outputTokens: output,
	cacheReadTokens: read,
	cacheWriteTokens: write,
});

test.each([
	["claude-sonnet-5-5", usage(1000, 100), 3_000_000],
	["claude-sonnet-5-5", usage(1000, 0, 600, 300), 100 * 2000 + 600 * 100 + 300 * 2500],
	[
		"claude-sonnet-5-5",
		{ ...usage(1000, 0, 600, 300), cacheHourTokens: 200 },
		100 * 2000 + 600 * 100 + 100 * 2500 + 200 * 4000,
	],
	["claude-haiku-5-5", usage(100_000, 1), 100_000 * 100 + 500],
	["claude-haiku-5-5", usage(100_001, 1), 100_001 * 500 + 2500],
	["claude-haiku-5-5", usage(100_001, 0, 100_000), 500 + 100_000 * 50],
	["claude-mythos-preview", usage(1000, 1000), 0],
])("a call of %s with %o costs %i billionths", (name, used, cost) => {
	expect(costOf(table.find(name, "anthropic"), used)).toBe(cost);
});

test.each([
	[
		"openai",
		"gpt-6.2-sol",
		usage(272_000, 0, 200_000, 50_000),
		22_000 * 2000 + 200_000 * 100 + 50_000 * 2500,
	],
	["openai", "gpt-6.2-sol", usage(272_001, 1000, 200_000), 72_001 * 4000 + 200_000 * 200 + 1000 * 15_000],
	["openai", "gpt-5.1", usage(1000, 10, 0, 300), 1000 * 1250 + 10 * 10_000],
	["gemini", "gemini-2.5-pro", usage(200_000, 1), 200_000 * 1250 + 10_000],
	["gemini", "gemini-2.5-pro", usage(200_001, 1), 200_001 * 2500 + 15_000],
	["moonshot", "kimi-k2.6", usage(1000, 10, 600), 400 * 950 + 600 * 160 + 10 * 4000],
	["kimi", "kimi-for-coding", usage(1000, 1000), 0],
])("a call of the provider %s with the model %s and %o costs %i billionths", (provider, name, used, cost) => {
	expect(costOf(table.find(name, provider), used)).toBe(cost);
});

test("writing for an hour has the price of writing if there is no other", () => {
	const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 3 };
	const known = table.find("claude-opus-4-8", "anthropic");
	expect(costOf(known && { ...known, prices }, { ...usage(100, 0, 0, 100), cacheHourTokens: 60 })).toBe(
		100 * 3000,
	);
});

test("unknown models and free models cost nothing", () => {
	expect(costOf(undefined, usage(1000, 1000))).toBe(0);
	expect(costOf(table.find("offline", "offline"), usage(1000, 1000))).toBe(0);
});

test("costs are exact to a billionth for all prices and counts", () => {
	let seed = 7;
	const draw = (below: number): number => {
		seed = (seed * 48_271) % 2_147_483_647;
		return seed % below;
	};
	for (let round = 0; round < 2000; round++) {
		// Prices in millionths of a dollar per million tokens.
		const millionths = [0, 0, 0, 0].map(() => draw(10 ** (1 + draw(9))));
		const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = millionths.map((price) => price / 1e6);
		const counts = [0, 0, 0, 0].map(() => draw(10 ** (1 + draw(7))));
		const [fresh = 0, written = 0, read = 0, cacheable = 0] = counts;
		const model: ModelInfo = {
			id: "m",
			provider: "p",
			contextWindow: 1,
			maxOutput: 1,
			reasoning: "none",
			sampling: true,
			images: false,
			prices: { input, output, cacheRead, cacheWrite },
		};
		const exact = counts.reduce((sum, count, at) => sum + BigInt(count) * BigInt(millionths[at] ?? 0), 0n);
		expect(costOf(model, usage(fresh + read + cacheable, written, read, cacheable))).toBe(
			Number((exact + 500n) / 1000n),
		);
	}
});

test("models of other providers have the prefix of their provider, and only the home provider has tiers", () => {
	const model = (id: string, provider: string, tier?: "fast" | "standard"): ModelInfo => ({
		id,
		provider,
		contextWindow: 1000,
		maxOutput: 100,
		reasoning: "none",
		sampling: true,
		images: true,
		...(tier && { tier }),
	});
	const models = [
		model("a", "home", "standard"),
		model("b", "one", "fast"),
		model("c", "one"),
		model("c", "two"),
		model("one/b", "two"),
	];
	const table = new ModelTable(models, models, { home: "home", others: ["one", "two"] });
	const found = (name: string): string | undefined => table.find(name, "home")?.id;
	expect(found("home/a")).toBe("a");
	expect(found("one/b")).toBe("one/b");
	// A name without a prefix never names a model of another provider.
	expect(found("b")).toBeUndefined();
	expect(table.findOwn("one/b", "home")).toBeUndefined();
	expect(table.findOwn("fast", "home")?.id).toBe("a");
	expect(found("one/fast")).toBe("one/b");
	expect(found("two/one/b")).toBe("two/one/b");
	expect(found("c")).toBeUndefined();
	expect(found("fast")).toBe("a");
	expect(table.find("one/b", "one")?.id).toBe("b");
	expect(table.find("a", "one")).toBeUndefined();
	expect(table.list("home").map(({ id }) => id)).toEqual(["a", "one/b", "one/c", "two/c", "two/one/b"]);
	expect(table.list("home").map(({ tier }) => tier)).toEqual([
		"standard",
		undefined,
		undefined,
		undefined,
		undefined,
	]);
	expect(table.near("one-b", "home")).toContain("one/b");
	// If the name of a home provider's model begins with another provider's name, the model's name gets the home
	// provider's prefix.
	const groq = [
		model("openai/oss", "groq", "standard"),
		model("groq/compound", "groq"),
		model("sol", "openai"),
	];
	const routed = new ModelTable(groq, groq, { home: "groq", others: ["openai"] });
	expect(routed.find("groq/openai/oss", "groq")).toMatchObject({ id: "groq/openai/oss", provider: "groq" });
	expect(routed.find("standard", "groq")?.id).toBe("groq/openai/oss");
	expect(routed.find("groq/compound", "groq")?.id).toBe("groq/groq/compound");
	expect(routed.find("groq/groq/compound", "groq")?.id).toBe("groq/groq/compound");
	expect(routed.find("openai/oss", "groq")).toBeUndefined();
	expect(routed.find("openai/sol", "groq")?.provider).toBe("openai");
	expect(routed.list("groq").map(({ id }) => id)).toEqual([
		"groq/openai/oss",
		"groq/groq/compound",
		"openai/sol",
	]);
	expect(routed.near("oss", "groq")).toEqual(["groq/openai/oss"]);
	expect(["oss", "openai/x"].map((name) => routed.homeName(name))).toEqual(["oss", "groq/openai/x"]);
	expect([table.admits("one/x"), table.admits("one/"), table.admits("x")]).toEqual([true, false, false]);
});

test("a deployment of Azure has the facts of the model with its name, without a price", () => {
	const table = new ModelTable(builtinModels);
	const { tier: _, prices: _prices, longPrompt: _long, ...facts } = table.find("gpt-6.2-sol", "openai") ?? {};
	expect(table.find("gpt-6.2-sol", "azure")).toEqual({ ...facts, provider: "azure" });
	expect(table.find("gpt-6.2-sol", "groq")).toBeUndefined();
	expect(table.find("standard", "azure")).toBeUndefined();
	expect(table.defaultOf("azure")).toBeUndefined();
});
