import { ParleyError, type Store } from "@parley/base";
import type { Tx } from "../store/journal.ts";
import { stamp, type Tables } from "../store/tables.ts";
import { type Audit, requestedBy } from "../trust/audit/audit.ts";
import type { Principal } from "../vocabulary/principal.ts";
import { type BudgetPeriod, type BudgetScope, dollars } from "../vocabulary/usage.ts";
import { gatewayScope } from "./budget-state.ts";
import { budgetTexts } from "./texts.ts";

export interface BudgetChange {
	readonly scope: BudgetScope;
	/** Required for scope `session`. Not allowed for any other scope. */
	readonly sessionId?: string;
	readonly period: BudgetPeriod;
	/** Limit in billionths of a US dollar. `null` removes the limit, and `configured` restores the configured value. */
	readonly limit: number | null | "configured";
}

export interface ChangeContext {
	readonly store: Store<Tables>;
	/** Id of the principal. */
	readonly by: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
}

/** Cached results of `hasSetBudgets`. `writeBudget` sets a result to true when it stores a row. */
const inUse = new WeakMap<Store<Tables>, Promise<boolean>>();

/** Stores the change of a budget, which takes effect at the commit. Throws `invalid_argument` for an invalid change. */
export async function writeBudget(
	tx: Tx,
	change: BudgetChange,
	{ store, by, at }: ChangeContext,
): Promise<void> {
	const { period, limit } = change;
	const scope = scopeOf(change);
	if (limit === "configured") {
		await tx.deleteFrom("budgets").where("scope", "=", scope).where("period", "=", period).execute();
		return;
	}
	if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 0)) {
		throw refused(budgetTexts.notAllowed(limit));
	}
	// The flag is set before the commit, so that no reader caches the absence of the budget.
	inUse.set(store, Promise.resolve(true));
	const values = { limit_cost: limit, set_by: by, set_at: at, ...stamp };
	await tx
		.insertInto("budgets")
		.values({ scope, period, ...values })
		.onConflict((row) => row.columns(["scope", "period"]).doUpdateSet(values))
		.execute();
}

/** Stores the change of a budget for a principal, with an audit row. */
export async function changeBudget(
	tx: Tx,
	change: BudgetChange,
	{ by, audit, ...context }: Omit<ChangeContext, "by"> & { readonly by: Principal; readonly audit: Audit },
): Promise<void> {
	await writeBudget(tx, change, { ...context, by: by.id });
	const { sessionId: object = "gateway", period, limit } = change;
	const usd = typeof limit === "number" ? dollars(limit) : limit;
	const entry = { action: "budget.set", object, decision: "set", args: { period, usd } };
	await audit.record(tx, { ...requestedBy(by), ...entry });
}

/** Whether any budget may have been set at run time. Reads the database once, and then returns the cached result. */
export function hasSetBudgets(store: Store<Tables>): Promise<boolean> {
	const known = inUse.get(store);
	if (known !== undefined) return known;
	const reading = store
		.read((db) => db.selectFrom("budgets").select("scope").limit(1).execute())
		.then((rows) => rows.length > 0);
	inUse.set(store, reading);
	// After a failed read, the next call reads again.
	reading.catch(() => inUse.delete(store));
	return reading;
}

function scopeOf({ scope, sessionId }: BudgetChange): string {
	if (scope === "gateway" && sessionId === undefined) return gatewayScope;
	if (scope === "session" && sessionId) return sessionId;
	throw refused(scope === "session" ? budgetTexts.needsSession : budgetTexts.noSession);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
