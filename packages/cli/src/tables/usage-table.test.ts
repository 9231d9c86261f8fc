import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { type UsageReport, usageRows } from "./model-tables.ts";

const format = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };

function used(tokens_input: number, cost_usd: number) {
	const tokens = { tokens_input, tokens_output: 1_200, tokens_cache_read: 10_000, tokens_cache_write: 500 };
	return { ...tokens, calls: 3, cost_usd };
}

const sonnet = { ...used(12_345, 0.0421), model: "claude-sonnet-5-5", provider: "anthropic" };
const opus = { ...used(1_234_567, 12.5), model: "claude-opus-5-1", provider: "anthropic" };
const total = { ...used(1_246_912, 12.5421), calls: 6 };

function report(changes: Partial<UsageReport>): UsageReport {
	return { rows: [sonnet, opus], total, budgets: [], ...changes };
}

test("prints each model with cached tokens and cost, and the total at the end", () => {
	expect(usageRows(report({}), "model", format)).toEqual([
		"MODEL              CALLS      INPUT  CACHED  OUTPUT    COST",
		"claude-sonnet-5-5      3     12,345  10,000   1,200   $0.04",
		"claude-opus-5-1        3  1,234,567  10,000   1,200  $12.50",
		"total                  6  1,246,912  10,000   1,200  $12.54",
	]);
});

test("prints no total for a single row, and names days and sessions", () => {
	const day = { ...used(1, 1), day: "2026-03-14" };
	const session = { ...used(1, 1), session_id: "sess_\u001b[2J" };
	expect(usageRows(report({ rows: [day] }), "day", format)[1]).toMatch(/^2026-03-14 /);
	expect(usageRows(report({ rows: [day] }), "day", format)).toHaveLength(2);
	expect(usageRows(report({ rows: [session] }), "session", format)[1]).toMatch(/^sess_\\u\{1b\}\[2J /);
});

test("explains a cost of $0.00 for a model without a price", () => {
	const local = { ...used(10, 0), model: "llama", provider: "anthropic" };
	const offline = { ...used(10, 0), model: "offline", provider: "offline" };
	expect(usageRows(report({ rows: [local, offline] }), "model", format).at(-1)).toBe(
		"no price for llama: the cost shows as $0.00; add the price to models.json",
	);
	expect(usageRows(report({ rows: [offline] }), "model", format)).toHaveLength(2);
});

test("prints the budgets also without usage", () => {
	const nothing = { ...used(0, 0), calls: 0 };
	const money = { spent_usd: 0, limit_usd: 5 };
	const budget = { scope: "gateway", period: "day", source: "set", ...money } as const;
	const rows = usageRows({ rows: [], total: nothing, budgets: [budget] }, "day", format);
	expect(rows).toEqual(["no usage", "", expect.stringContaining("all sessions, today")]);
});

test.each([80, 60, 40, 20])("prints no row that is wider than %d columns", (columns) => {
	const rows = usageRows(report({ rows: [sonnet, { ...opus, cost_usd: 0 }] }), "model", {
		...format,
		columns,
	});
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
});
