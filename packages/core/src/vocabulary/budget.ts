/** Whose spending a budget limits: of everything, or of one session. */
export type BudgetScope = "gateway" | "session";
/** UTC days and months. */
export type BudgetPeriod = "day" | "month";

/** Limits in billionths of a US dollar; what is absent is not limited. */
export interface BudgetLimits {
	readonly day?: number;
	readonly month?: number;
}

/** The limits that the configuration sets. The operator can set others at run time, which then hold. */
export interface Budgets {
	readonly gateway: BudgetLimits;
	/** For each session. */
	readonly session: BudgetLimits;
}

export const noBudgets: Budgets = { gateway: {}, session: {} };

/** A budget has come to 80 % or to its end. Money in billionths of a US dollar. */
export interface BudgetReached {
	readonly scope: BudgetScope;
	readonly period: BudgetPeriod;
	readonly percent: 80 | 100;
	readonly spent: number;
	readonly limit: number;
}
