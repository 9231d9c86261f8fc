import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { budgetRows } from "./model-tables.ts";

const format = { columns: 100, styles: createStyles(false) };
const day = { scope: "gateway", period: "day", spent_usd: 4.1, limit_usd: 5, source: "configured" } as const;
const month = { ...day, period: "month", spent_usd: 19.999, limit_usd: 20, source: "set" } as const;
const session = { ...day, scope: "session", session_id: "sess_1", spent_usd: 0.5, source: "set" } as const;
const lifted = { ...session, limit_usd: null };

test("prints each budget with a bar, the spent part and its source", () => {
	expect(budgetRows([lifted, month, day], format)).toEqual([
		"all sessions, today       ████████████████░░░░  82 %  $4.10 of $5.00    configured",
		"all sessions, this month  ███████████████████░  99 %  $20.00 of $20.00  set by the operator",
		"sess_1, today                                         $0.50, no limit   set by the operator",
	]);
});

test("prints no row for a budget that was never set", () => {
	expect(budgetRows([{ ...day, limit_usd: null }], format)).toEqual([]);
});

test("treats a budget of 0 as spent, and prints a full bar for an exceeded one", () => {
	const rows = budgetRows(
		[
			{ ...day, limit_usd: 0 },
			{ ...day, spent_usd: 6 },
		],
		format,
	);
	expect(rows[0]).toContain(`${"█".repeat(20)}  100 %`);
	expect(rows[1]).toContain(`${"█".repeat(20)}  120 %`);
});

test.each([
	[0.29, 1, 29],
	[0.57, 1, 57],
	[4.999_999_999, 5, 99],
	[1_000_000, 1_000_000, 100],
])("prints $%d of $%d as %d %%", (spent_usd, limit_usd, percent) => {
	expect(budgetRows([{ ...day, spent_usd, limit_usd }], format)[0]).toContain(` ${percent} %  `);
});

test("prints a nearly spent budget in yellow, and a spent one in red", () => {
	const coloured = { columns: 100, styles: createStyles(true) };
	const rows = budgetRows([{ ...day, spent_usd: 3 }, day, { ...day, spent_usd: 5 }], coloured);
	expect(rows.map((row) => row.slice(0, 5))).toEqual(["all s", "\u001b[33m", "\u001b[31m"]);
});

test.each([70, 55, 30])("shortens the bar first in %d columns", (columns) => {
	const rows = budgetRows([day, month], { ...format, columns });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
	expect(rows[0]).toMatch(/^all sessions, today/);
});
