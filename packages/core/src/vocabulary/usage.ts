/** Tokens of one or more model calls, as the provider counted them. Non-negative integers. */
export interface Usage {
	/** All input of the model, including cached input. */
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** Part of `inputTokens` that was read from the provider's cache. */
	readonly cacheReadTokens: number;
	/** Part of `inputTokens` that was written to the provider's cache. */
	readonly cacheWriteTokens: number;
	/** Part of `cacheWriteTokens` that the provider keeps for an hour instead of minutes, at a higher price. */
	readonly cacheHourTokens?: number;
}

/** Usage and its cost in billionths of a US dollar. */
export interface Spent extends Usage {
	readonly cost: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
	return {
		inputTokens: a.inputTokens + b.inputTokens,
		outputTokens: a.outputTokens + b.outputTokens,
		// Records of earlier versions have no cache numbers.
		cacheReadTokens: (a.cacheReadTokens ?? 0) + (b.cacheReadTokens ?? 0),
		cacheWriteTokens: (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0),
	};
}

const perDollar = 1_000_000_000;

/** Converts billionths of a US dollar to dollars, for people and wires. Exact to the ninth decimal place. */
export function dollars(cost: number): number {
	return cost / perDollar;
}

/** Converts dollars to integer billionths. */
export function billionths(usd: number): number {
	return Math.round(usd * perDollar);
}

/** Formats an amount, for example `$10.00`. An amount below a dollar has up to nine decimal places. */
export function formatDollars(cost: number): string {
	const maximumFractionDigits = cost < perDollar ? 9 : 2;
	return new Intl.NumberFormat("en-US", {
		style: "currency",
		currency: "USD",
		minimumFractionDigits: 2,
		maximumFractionDigits,
	}).format(dollars(cost));
}

export type BudgetScope = "gateway" | "session";
/** Day or month in UTC. */
export type BudgetPeriod = "day" | "month";

/** Billionths of a US dollar. An absent field means no limit. */
interface BudgetLimits {
	readonly day?: number;
	readonly month?: number;
}

/** Configured limits. The operator can replace them at run time. */
export interface Budgets {
	readonly gateway: BudgetLimits;
	readonly session: BudgetLimits;
}

export const noBudgets: Budgets = { gateway: {}, session: {} };

/** A budget of which 80 % or all is spent. Amounts are billionths of a US dollar. */
export interface BudgetReached {
	readonly scope: BudgetScope;
	readonly period: BudgetPeriod;
	readonly percent: 80 | 100;
	readonly spent: number;
	readonly limit: number;
}
