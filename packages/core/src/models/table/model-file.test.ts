import { expect, test } from "vitest";
import { builtinModels } from "./builtin-models.ts";
import { modelsFromFile } from "./model-file.ts";
import { ModelTable } from "./model-table.ts";

const read = (...models: unknown[]) => new ModelTable(modelsFromFile({ models }, "models.json"));

test("a row with a known id changes the given fields and keeps the rest", () => {
	const table = read({ id: "claude-haiku-5-5", max_output: 32_000, prices: { input: 0.2 } });
	const builtin = builtinModels.find(({ id }) => id === "claude-haiku-5-5");
	expect(table.find("fast", "anthropic")).toEqual({
		...builtin,
		maxOutput: 32_000,
		prices: { ...builtin?.prices, input: 0.2 },
	});
	expect(table.list()).toHaveLength(builtinModels.length);
});

test("any other row adds a model with the required fields and defaults for the rest", () => {
	const table = read(
		{ id: "qwen3:8b", context_window: 40_960, max_output: 8192 },
		{
			id: "big",
			provider: "elsewhere",
			context_window: 400_000,
			max_output: 64_000,
			reasoning: "budget",
			sampling: false,
			images: true,
			tier: "max",
			prices: { input: 1, output: 4 },
			long_prompt: { above: 200_000, prices: { input: 2, cache_write: 3 } },
		},
	);
	expect(table.find("qwen3:8b", "anthropic")).toEqual({
		id: "qwen3:8b",
		provider: "anthropic",
		contextWindow: 40_960,
		maxOutput: 8192,
		reasoning: "none",
		sampling: true,
		images: false,
	});
	expect(table.find("max", "elsewhere")).toEqual({
		id: "big",
		provider: "elsewhere",
		contextWindow: 400_000,
		maxOutput: 64_000,
		reasoning: "budget",
		sampling: false,
		images: true,
		tier: "max",
		prices: { input: 1, output: 4, cacheRead: 1, cacheWrite: 1 },
		longPrompt: { above: 200_000, prices: { input: 2, output: 4, cacheRead: 1, cacheWrite: 3 } },
	});
});

test("the same name at another provider is another model", () => {
	const table = read({ id: "offline", context_window: 1000, max_output: 100 });
	expect(table.find("offline", "offline")?.contextWindow).toBe(200_000);
	expect(table.find("offline", "anthropic")?.contextWindow).toBe(1000);
});

test("a tier moves from its model to the model that claims it", () => {
	const table = read({ id: "claude-opus-5", tier: "standard" });
	expect(table.find("standard", "anthropic")?.id).toBe("claude-opus-5");
	expect(table.find("claude-sonnet-5-5", "anthropic")).not.toHaveProperty("tier");
	expect(table.find("standard", "offline")?.id).toBe("offline");
});

test("a higher price for long prompts can be removed", () => {
	expect(read({ id: "claude-haiku-5-5", long_prompt: null }).find("fast", "anthropic")).not.toHaveProperty(
		"longPrompt",
	);
});

const row = { id: "m", context_window: 1000, max_output: 100 };

test.each([
	[[], "the file (models.json); allowed: an object with models"],
	[{}, "models (models.json) is missing; needed: a list of models"],
	[{ models: {} }, "{} is not allowed for models (models.json); allowed: a list of models"],
	[
		{ models: [], modles: [] },
		'unknown setting "modles" in the file (models.json); allowed: $schema, models',
	],
	[{ models: [7] }, "7 is not allowed for models[0] (models.json); allowed: an object with an id"],
	[{ models: [{}] }, "models[0].id (models.json) is missing; needed: a name"],
	[
		{ models: [row, { ...row, id: "n", contextWindow: 1 }] },
		'unknown setting "contextWindow" in models[1] (models.json); allowed: provider, context_window, max_output',
	],
	[
		{ models: [{ id: "m", max_output: 1 }] },
		'models[0].context_window (models.json) is missing: add the setting, because "m" is not a built-in model',
	],
	[
		{ models: [{ ...row, context_window: 0 }] },
		"0 is not allowed for models[0].context_window (models.json)",
	],
	[{ models: [{ ...row, max_output: 1.5 }] }, "allowed: a whole number of tokens from 1"],
	[{ models: [{ ...row, max_output: 1001 }] }, "1001 is not allowed for models[0].max_output (models.json)"],
	[{ models: [{ ...row, reasoning: "some" }] }, "allowed: none, budget, adaptive, between_tools, always"],
	[{ models: [{ ...row, tier: "best" }] }, "models[0].tier (models.json); allowed: fast, standard, max"],
	[{ models: [{ ...row, images: "yes" }] }, "models[0].images (models.json); allowed: true, false"],
	[
		{ models: [{ ...row, prices: { input: -1 } }] },
		"-1 is not allowed for models[0].prices.input (models.json)",
	],
	[{ models: [{ ...row, prices: { input: 1 } }] }, "models[0].prices (models.json) must have both"],
	[
		{ models: [{ ...row, prices: { input: 1, in: 1 } }] },
		"in models[0].prices (models.json); allowed: input, output, cache_read, cache_write",
	],
	[
		{ models: [{ ...row, long_prompt: { prices: {} } }] },
		"models[0].long_prompt.above (models.json) is missing",
	],
	[{ models: [row, row] }, 'models[1].id (models.json): "m" occurs twice; remove one of the two entries'],
])("%j is refused with its position and the allowed values", (value, message) => {
	expect(() => modelsFromFile(value, "models.json")).toThrow(
		expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(message) }),
	);
});

test("a threshold for long conversations is set, kept and removed", () => {
	const row = { id: "small", context_window: 65_536, max_output: 8_192, compact_above: 20_000 };
	const first = modelsFromFile({ models: [row] }, "models.json");
	expect(first.find(({ id }) => id === "small")).toMatchObject({ compactAbove: 20_000 });
	const stored = modelsFromFile({ models: [{ id: "small", sampling: false }] }, "models.json", first);
	expect(stored.find(({ id }) => id === "small")).toMatchObject({ compactAbove: 20_000, sampling: false });
	const removed = modelsFromFile({ models: [{ id: "small", compact_above: null }] }, "models.json", first);
	expect(removed.find(({ id }) => id === "small")).not.toHaveProperty("compactAbove");
	expect(() => modelsFromFile({ models: [{ ...row, compact_above: 100 }] }, "models.json")).toThrow(
		"a whole number of tokens from 4000, or null",
	);
});
