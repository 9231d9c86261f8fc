import { expect, test } from "vitest";
import { TokenCounts } from "./token-counts.ts";

function countsOf(...usages: unknown[]) {
	const counts = new TokenCounts();
	for (const usage of usages) counts.add(usage);
	return { ...counts.usage(), isCorrected: counts.isCorrected };
}

test("all tokens that were read are input, and cached tokens are a part of it", () => {
	const start = {
		input_tokens: 10,
		cache_read_input_tokens: 300,
		cache_creation_input_tokens: 50,
		output_tokens: 1,
	};
	expect(countsOf(start, { output_tokens: 42, input_tokens: null })).toEqual({
		inputTokens: 360,
		outputTokens: 42,
		cacheReadTokens: 300,
		cacheWriteTokens: 50,
		isCorrected: false,
	});
});

test("tokens in a cache for an hour are a part of the written ones", () => {
	const counts = (hour: unknown) =>
		countsOf({
			input_tokens: 1,
			output_tokens: 1,
			cache_creation_input_tokens: 50,
			cache_creation: { ephemeral_1h_input_tokens: hour },
		});
	expect(counts(30)).toMatchObject({ cacheWriteTokens: 50, cacheHourTokens: 30, isCorrected: false });
	expect(counts(70)).toMatchObject({ cacheHourTokens: 50 });
	expect(counts(0)).not.toHaveProperty("cacheHourTokens");
});

test("the last counts are used, and missing ones remain", () => {
	expect(
		countsOf({ input_tokens: 10, output_tokens: 1 }, { input_tokens: 12, output_tokens: 5 }),
	).toMatchObject({ inputTokens: 12, outputTokens: 5, isCorrected: false });
});

test.each([
	["nothing", undefined, 0, 0],
	["null", null, 0, 0],
	["no output", { input_tokens: 5 }, 5, 0],
	["a negative number", { input_tokens: -5, output_tokens: 1 }, 0, 1],
	["an impossibly large number", { input_tokens: 1e18, output_tokens: 1e18 }, 1e9, 1e9],
	["half a token", { input_tokens: 2.5, output_tokens: 1 }, 2, 1],
	["a text", { input_tokens: "5", output_tokens: 1 }, 0, 1],
])("%s is corrected and reported", (_name, usage, inputTokens, outputTokens) => {
	expect(countsOf(usage)).toMatchObject({ inputTokens, outputTokens, isCorrected: true });
});

test("the parts never exceed the total", () => {
	const all = { input_tokens: 1e9, cache_read_input_tokens: 6e8, cache_creation_input_tokens: 6e8 };
	expect(countsOf(all)).toMatchObject({ inputTokens: 1e9, cacheReadTokens: 6e8, cacheWriteTokens: 4e8 });
});
