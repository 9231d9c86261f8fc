import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { modelTable, providerTable } from "./model-tables.ts";

const list = {
	default: "claude-sonnet-5-5",
	models: [
		{
			name: "claude-sonnet-5-5",
			provider: "anthropic",
			tier: "standard",
			reasoning: "adaptive",
			context_window: 1_000_000,
			max_output: 64_000,
			images: true,
			prices: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
			long_prompt: {
				above: 200_000,
				prices: { input: 6, output: 22.5, cache_read: 0.6, cache_write: 7.5 },
			},
		},
		{
			name: "local\u001b",
			provider: "anthropic",
			reasoning: "none",
			context_window: 32_768,
			max_output: 8_192,
			images: false,
		},
	],
};

test("prints models with limits and prices, and marks the default model", () => {
	expect(modelTable(list, { columns: 120, styles: createStyles(false) })).toEqual([
		"   NAME               TIER      WINDOW  REPLY  THINKING  IMAGES  $/M IN  CACHED    OUT",
		"▸  claude-sonnet-5-5  standard      1M    64k  adaptive  yes       3.00    0.30  15.00",
		"   local\\u{1b}                   32.8k   8.2k  no        no           ?       ?      ?",
		"claude-sonnet-5-5, prompts above 200k tokens: 6.00 in, 0.60 cached, 22.50 out",
	]);
});

test.each([80, 40])("prints no row that is wider than %d columns", (columns) => {
	const rows = modelTable(list, { columns, styles: createStyles(false) });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
});

test("prints notes about the models of a custom server", () => {
	const format = { columns: 100, styles: createStyles(false) };
	const own = { default: "gemma.gguf", any_model: true, models: [] } as const;
	const notes = [
		"gemma.gguf is the default model; its limits and prices are unknown",
		"the server may have more models: you can use any name",
	];
	expect(modelTable({ ...own, models: [] }, format)).toEqual(notes);
	expect(modelTable({ ...list, default: "gemma.gguf", any_model: true }, format).slice(-2)).toEqual(notes);
	expect(modelTable({ ...list, any_model: true }, format).at(-1)).toBe(notes[1]);
});

test("a model of a subscription has no price, and the reason", () => {
	const [first] = list.models;
	if (!first) throw new Error("the list is empty");
	const { long_prompt: _, ...plain } = first;
	const free = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
	const paid = { ...plain, name: "kimi-for-coding", prices: free, subscription: true as const };
	const rows = modelTable(
		{ default: "kimi-for-coding", models: [paid] },
		{ columns: 120, styles: createStyles(false) },
	);
	expect(rows[1]).toMatch(/ - {2,}- {2,}-$/);
	expect(rows[2]).toBe("kimi-for-coding: a subscription pays for the tokens");
});

test("prints providers with the place of their keys, and their problems", () => {
	const format = { columns: 100, styles: createStyles(false) };
	const rows = providerTable(
		[
			{ name: "openai", host: "api.openai.com", key: "OPENAI_API_KEY", keyFound: true, models: 57 },
			{ name: "lab", host: "127.0.0.1:9", keyFound: false, problem: "connection refused\u001b" },
			{ name: "groq", host: "api.groq.com", key: "GROQ_API_KEY", keyFound: false, models: 0 },
		],
		format,
	);
	expect(rows).toEqual([
		"PROVIDER  HOST            KEY                      MODELS",
		"openai    api.openai.com  in OPENAI_API_KEY            57",
		"lab       127.0.0.1:9     needs none                    ?",
		"groq      api.groq.com    GROQ_API_KEY is not set       0",
		"✗ lab: connection refused\\u{1b}",
	]);
	expect(providerTable([], format)).toEqual(["no provider: the offline model is used"]);
});
