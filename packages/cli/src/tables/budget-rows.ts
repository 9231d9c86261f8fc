import type { MethodResult } from "@parley/protocol";
import { formatUsd } from "../text/amounts.ts";
import { alignColumns } from "../text/columns.ts";
import { shorten } from "../text/shorten.ts";
import type { Look, Styles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf } from "../text/wrap.ts";

type Budget = MethodResult<"usage">["budgets"][number];

const longestBar = 20;
const shortestBar = 5;

/**
 * The budgets, one a row: how much is spent, as a bar where there is room for one, and who set the limit. Nothing for
 * those that nobody ever limited.
 */
export function budgetRows(all: readonly Budget[], { columns, styles }: Look): string[] {
	const budgets = all
		.filter(({ limit_usd, source }) => limit_usd !== null || source === "set")
		.sort((a, b) => orderOf(a) - orderOf(b));
	const cells = budgets.map((budget) => [
		scopeOf(budget),
		spentOf(budget),
		budget.limit_usd === null ? "" : `${percentOf(budget)} %`,
		budget.source === "set" ? "set by the operator" : "configured",
	]);
	const width = Math.max(0, ...alignColumns(cells).map(widthOf));
	const bar = Math.min(longestBar, columns - width - 2);
	const rows = budgets.map((budget, index) => {
		const [scope = "", spent = "", percent = "", setBy = ""] = cells[index] ?? [];
		return [scope, ...(bar < shortestBar ? [] : [barOf(budget, bar)]), percent, spent, setBy];
	});
	const percentAt = bar < shortestBar ? 1 : 2;
	const plain = alignColumns(rows, new Set([percentAt])).map((row) => shorten(row, columns));
	return plain.map((row, index) => {
		const budget = budgets[index];
		return budget ? colourOf(budget, styles)(row) : row;
	});
}

/** The gateway's before those of a session, days before months. */
function orderOf({ scope, period }: Budget): number {
	return (scope === "gateway" ? 0 : 2) + (period === "day" ? 0 : 1);
}

function scopeOf({ scope, session_id, period }: Budget): string {
	const whose = scope === "gateway" ? "everything" : visibleLine(session_id ?? "this session");
	return `${whose}, ${period === "day" ? "today" : "this month"}`;
}

function spentOf({ spent_usd, limit_usd }: Budget): string {
	const spent = formatUsd(spent_usd);
	return limit_usd === null ? `${spent}, no limit` : `${spent} of ${formatUsd(limit_usd)}`;
}

/** Rounded down: 100 % is never shown where something is left. */
function percentOf({ spent_usd, limit_usd }: Budget): number {
	if (limit_usd === null) return 0;
	if (limit_usd === 0) return 100;
	// In whole billionths: 0.29 of a dollar is less than 29 % of it in floating point.
	const [spent, limit] = [spent_usd, limit_usd].map((usd) => BigInt(Math.round(usd * 1e9)));
	return spent === undefined || !limit ? 100 : Number((spent * 100n) / limit);
}

function barOf(budget: Budget, length: number): string {
	if (budget.limit_usd === null) return "";
	const full = Math.min(length, Math.floor((percentOf(budget) * length) / 100));
	return "█".repeat(full) + "░".repeat(length - full);
}

function colourOf(budget: Budget, { red, yellow }: Styles): (text: string) => string {
	if (budget.limit_usd === null || percentOf(budget) < 80) return (text) => text;
	return percentOf(budget) < 100 ? yellow : red;
}
