import type { MethodResult } from "@parley/protocol";
import { formatCount, formatUsd } from "../text/amounts.ts";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { budgetRows } from "./budget-rows.ts";

export type UsageReport = MethodResult<"usage">;
type Row = UsageReport["rows"][number];

/** By what usage can be summed up. */
export const groupings = ["day", "model", "session"] as const;
export type Grouping = (typeof groupings)[number];

/** What was used, in rows: one for each day, model or session, their sum, and below it the budgets. */
export function usageRows({ rows, total, budgets }: UsageReport, by: Grouping, look: Look): string[] {
	const known = budgetRows(budgets, look);
	const limits = known.length === 0 ? [] : ["", ...known];
	if (total.calls === 0) return ["nothing was used yet", ...limits];
	const cells = [
		[by.toUpperCase(), "CALLS", "INPUT", "CACHED", "OUTPUT", "COST"],
		...rows.map((row) => cellsOf(nameOf(row, by), row)),
		...(rows.length > 1 ? [cellsOf("total", total)] : []),
	];
	const table = tableRows({ rows: cells, right: [1, 2, 3, 4, 5], optional: [1], elastic: 0 }, look);
	return [...table, ...priceNotes(rows, look), ...limits];
}

function nameOf({ day, model, session_id }: Row, by: Grouping): string {
	return visibleLine({ day, model, session: session_id }[by] ?? "");
}

function cellsOf(name: string, used: UsageReport["total"]): string[] {
	const { calls, tokens_input, tokens_cache_read, tokens_output, cost_usd } = used;
	const counts = [calls, tokens_input, tokens_cache_read, tokens_output].map(formatCount);
	return [name, ...counts, formatUsd(cost_usd)];
}

/** A cost of nothing looks like good news: it must not, where it only means that nobody knows the price. */
function priceNotes(rows: readonly Row[], { columns, styles }: Look): string[] {
	const free = rows.filter(({ model, provider, cost_usd }) => {
		return model !== undefined && provider !== "offline" && cost_usd === 0;
	});
	if (free.length === 0) return [];
	const names = free.map(({ model = "" }) => visibleLine(model)).join(", ");
	return wrapText(`no price is known for ${names}: counted as $0.00`, columns).map(styles.dim);
}
