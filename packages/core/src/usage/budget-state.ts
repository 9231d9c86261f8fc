import { defined, hotStatement } from "@parley/base";
import { sql } from "kysely";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import type { BudgetPeriod, BudgetScope, Budgets } from "../vocabulary/usage.ts";
import { dayOf, daysOf } from "./period.ts";

/** Scope of the gateway's own rows, which remain when sessions are deleted. */
export const gatewayScope = "";

/** A budget and the spent amount, in billionths of a US dollar. */
export interface BudgetState {
	readonly scope: BudgetScope;
	readonly sessionId?: string;
	readonly period: BudgetPeriod;
	readonly spent: number;
	/** Null if the budget has no limit. */
	readonly limit: number | null;
	/** `set` if the operator replaced the configured budget at run time. */
	readonly source: "configured" | "set";
}

const setLimits = hotStatement<
	Tables,
	{ sessionId: string },
	{ scope: string; period: BudgetPeriod; limit_cost: number | null }
>((db, p) =>
	db
		.selectFrom("budgets")
		.select(["scope", "period", "limit_cost"])
		.where("scope", "in", [gatewayScope, p("sessionId")]),
);

const spentIn = hotStatement<
	Tables,
	{ sessionId: string; day: string; first: string; last: string },
	{ scope: string; day: number; month: number }
>((db, p) =>
	db
		.selectFrom("usage_days")
		.select((eb) => [
			"scope",
			eb.fn.sum<number>("cost").as("month"),
			sql<number>`sum(case when day = ${p("day")} then cost else 0 end)`.as("day"),
		])
		.where("scope", "in", [gatewayScope, p("sessionId")])
		.where("day", ">=", p("first"))
		.where("day", "<=", p("last"))
		.groupBy("scope"),
);

type Limit = Omit<BudgetState, "spent">;

/**
 * Returns the limits of the gateway and, if `sessionId` is given, of the session. A monthly limit precedes a
 * daily limit, because a month lasts longer.
 */
export async function limitsOf(
	db: Tx,
	sessionId: string | undefined,
	budgets: Budgets,
): Promise<readonly Limit[]> {
	const rows = await setLimits(db, { sessionId: sessionId ?? gatewayScope });
	const limit = (scope: BudgetScope, period: BudgetPeriod): Limit => {
		const id = scope === "session" ? sessionId : undefined;
		const row = rows.find((one) => one.scope === (id ?? gatewayScope) && one.period === period);
		const place = { scope, period, ...defined({ sessionId: id }) };
		if (!row) return { ...place, limit: budgets[scope][period] ?? null, source: "configured" };
		return { ...place, limit: row.limit_cost === null ? null : Number(row.limit_cost), source: "set" };
	};
	const scopes = sessionId === undefined ? (["gateway"] as const) : (["gateway", "session"] as const);
	return scopes.flatMap((scope) => [limit(scope, "month"), limit(scope, "day")]);
}

/** Returns the spent amount of each limit in the day or month of `at`. */
export async function budgetStatesOf(db: Tx, limits: readonly Limit[], at: number): Promise<BudgetState[]> {
	if (limits.length === 0) return [];
	const sessionId = limits.find((limit) => limit.sessionId !== undefined)?.sessionId ?? gatewayScope;
	const rows = await spentIn(db, { sessionId, day: dayOf(at), ...daysOf("month", at) });
	return limits.map((limit) => {
		const row = rows.find(({ scope }) => scope === (limit.sessionId ?? gatewayScope));
		return { ...limit, spent: Number(row?.[limit.period] ?? 0) };
	});
}
