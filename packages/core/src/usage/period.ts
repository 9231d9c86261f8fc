import type { BudgetPeriod } from "../vocabulary/usage.ts";

/** Returns the UTC day of a time in milliseconds since the epoch, as YYYY-MM-DD. */
export function dayOf(at: number): string {
	return new Date(at).toISOString().slice(0, 10);
}

/** Returns the first and last possible day of a period, for comparisons. Some months have no day 31. */
export function daysOf(period: BudgetPeriod, at: number): { readonly first: string; readonly last: string } {
	const day = dayOf(at);
	if (period === "day") return { first: day, last: day };
	const month = day.slice(0, 7);
	return { first: `${month}-01`, last: `${month}-31` };
}

/** Returns the start of the next day or month in UTC, in milliseconds since the epoch. */
export function nextStart(period: BudgetPeriod, at: number): number {
	const now = new Date(at);
	const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
	return period === "day" ? Date.UTC(year, month, now.getUTCDate() + 1) : Date.UTC(year, month + 1, 1);
}
