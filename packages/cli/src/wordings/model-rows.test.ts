import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { budgetReachedRows, compactedRows, metricRows, retryWords } from "./model-rows.ts";

const format = { columns: 80, styles: createStyles(false) };
const tokens = { tokens_input: 12_345, tokens_output: 900, tokens_cache_read: 10_000, tokens_cache_write: 0 };
const metrics = { model: "claude\u001b", provider: "anthropic", costUsd: 0.0421, tokens };
const retry = { run_id: "run", reason: "the model is overloaded", in_ms: 4_200, attempt: 1, model: "claude" };

test("prints the model, tokens and cost below an answer", () => {
	expect(metricRows(metrics, format)).toEqual([
		"claude\\u{1b} · 12.3k tokens in (10k cached), 900 out · $0.04",
	]);
	const local = { ...metrics, costUsd: 0, tokens: { ...tokens, tokens_cache_read: 0 } };
	expect(metricRows(local, format)).toEqual(["claude\\u{1b} · 12.3k tokens in, 900 out"]);
});

test("prints no usage for the offline model", () => {
	expect(metricRows({ ...metrics, provider: "offline" }, format)).toEqual([]);
});

test("prints the reason, the time and the number of a retry in one line", () => {
	expect(retryWords(retry)).toBe("the model is overloaded; trying again in 4 s, attempt 2");
	expect(retryWords({ ...retry, in_ms: 300, reason: "a\nb" })).toBe("a\\nb; trying again in 1 s, attempt 2");
	expect(retryWords({ ...retry, in_ms: 0, reason: "overloaded; opus answers instead" })).toBe(
		"overloaded; opus answers instead",
	);
});

test("shortens the reason of a retry on a narrow terminal, but not its time", () => {
	expect(retryWords(retry, 50)).toBe("the model is over…; trying again in 4 s, attempt 2");
	expect(retryWords(retry, 20)).toBe("the model…; trying again in 4 s, attempt 2");
});

test("describes budgets and compactions", () => {
	const budget = { scope: "gateway", period: "day", percent: 80, spent_usd: 4, limit_usd: 5 } as const;
	expect(budgetReachedRows({ ...budget, message: "80 % is spent\u0007" }, format)).toEqual([
		"80 % is spent\\u{7}",
	]);
	const change = { run_id: "run", tokens_before: 180_000, tokens_after: 20_400, error: "" };
	expect(compactedRows({ ...change, level: "summary" }, format)).toEqual([
		"earlier messages were summarised for the model: about 180k tokens reduced to",
		"20.4k",
	]);
	expect(
		compactedRows({ ...change, level: "summary", error: "the model refused\u0007" }, format).join(" "),
	).toBe(
		"earlier messages were shortened for the model without a summary (the model refused\\u{7}): about 180k tokens reduced to 20.4k",
	);
});
