import type { UsageReport } from "@parley/core";
import { methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { decodeBudgetChange, decodeUsageFilter, encodeUsageReport } from "./usage.ts";

const sum = {
	calls: 2,
	usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 3 },
	cost: 1_500_000_001,
};
const shown = {
	calls: 2,
	tokens_input: 10,
	tokens_output: 5,
	tokens_cache_read: 4,
	tokens_cache_write: 3,
	cost_usd: 1.500_000_001,
};

function report(row: Partial<UsageReport["rows"][number]>): UsageReport {
	return { rows: [{ key: "k", ...sum, ...row }], total: sum, budgets: [] };
}

test.each([
	["day", report({ key: "2026-02-01" }), { day: "2026-02-01" }],
	["model", report({ key: "m", provider: "p" }), { model: "m", provider: "p" }],
	["session", report({ key: "sess_1" }), { session_id: "sess_1" }],
] as const)("rows by %s name their group", (by, usageReport, named) => {
	const encoded = encodeUsageReport(usageReport, by);
	expect(encoded).toEqual({ rows: [{ ...named, ...shown }], total: shown, budgets: [] });
	expect(methods.usage.result.parse(encoded)).toEqual(encoded);
});

test("budgets are in dollars, and null means no limit", () => {
	const encoded = encodeUsageReport(
		{
			rows: [],
			total: sum,
			budgets: [
				{
					scope: "gateway",
					period: "day",
					spent: 250_000_000,
					limit: 1_000_000_000,
					percent: 25,
					source: "configured",
				},
				{
					scope: "session",
					sessionId: "sess_1",
					period: "month",
					spent: 0,
					limit: null,
					percent: 0,
					source: "set",
				},
			],
		},
		"day",
	);
	expect(encoded.budgets).toEqual([
		{ scope: "gateway", period: "day", spent_usd: 0.25, limit_usd: 1, source: "configured" },
		{
			scope: "session",
			session_id: "sess_1",
			period: "month",
			spent_usd: 0,
			limit_usd: null,
			source: "set",
		},
	]);
	expect(methods.usage.result.parse(encoded)).toEqual(encoded);
});

test("absent parameters are not part of the filter", () => {
	const params = { session_id: undefined, since: undefined, until: undefined, by: "day" } as const;
	expect(decodeUsageFilter(params, undefined)).toEqual({ by: "day" });
	expect(decodeUsageFilter({ ...params, since: "2026-01-01", until: "2026-01-31" }, "sess_1")).toEqual({
		by: "day",
		since: "2026-01-01",
		until: "2026-01-31",
		sessionId: "sess_1",
	});
});

test.each([
	[0.1, 100_000_000],
	[0.000_000_001, 1],
	[1_000_000, 1_000_000_000_000_000],
	[null, null],
	["configured", "configured"],
] as const)("a budget of %j dollars is %j billionths", (limit_usd, limit) => {
	const params = { session_id: undefined, period: "day", limit_usd, key: undefined } as const;
	expect(decodeBudgetChange({ ...params, scope: "gateway" }, undefined)).toEqual({
		scope: "gateway",
		period: "day",
		limit,
	});
	expect(decodeBudgetChange({ ...params, scope: "session" }, "sess_1")).toEqual({
		scope: "session",
		sessionId: "sess_1",
		period: "day",
		limit,
	});
});
