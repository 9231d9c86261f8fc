import { hotStatement, ParleyError, type Store } from "@parley/base";
import type { OnConflictBuilder } from "kysely";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import type { RecordedEvent } from "../vocabulary/event.ts";
import { type BudgetReached, type Budgets, formatDollars, type Usage } from "../vocabulary/usage.ts";
import { type BudgetState, budgetStatesOf, gatewayScope, limitsOf } from "./budget-state.ts";
import { dayOf, nextStart } from "./period.ts";
import { hasSetBudgets } from "./set-budget.ts";
import { budgetTexts } from "./texts.ts";

/** Usage of one model call. `cost` is in billionths of a US dollar. */
export interface Charge {
	readonly sessionId: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly model: string;
	readonly provider: string;
	readonly usage: Usage;
	readonly cost: number;
	/**
	 * Further sessions whose usage includes the call. The last of these sessions owns the budget. Default: none, and
	 * `sessionId` owns the budget.
	 */
	readonly accounts?: readonly string[];
}

type ChargeRow = Usage & Pick<Charge, "sessionId" | "model" | "provider" | "cost"> & { readonly day: string };

type Conflicts = OnConflictBuilder<Tables, "usage_days">;

const addUp = (conflict: Conflicts) =>
	conflict.columns(["scope", "day", "model", "provider"]).doUpdateSet((eb) => ({
		calls: eb("usage_days.calls", "+", eb.ref("excluded.calls")),
		input_tokens: eb("usage_days.input_tokens", "+", eb.ref("excluded.input_tokens")),
		output_tokens: eb("usage_days.output_tokens", "+", eb.ref("excluded.output_tokens")),
		cache_read_tokens: eb("usage_days.cache_read_tokens", "+", eb.ref("excluded.cache_read_tokens")),
		cache_write_tokens: eb("usage_days.cache_write_tokens", "+", eb.ref("excluded.cache_write_tokens")),
		cost: eb("usage_days.cost", "+", eb.ref("excluded.cost")),
	}));

type ChargeParameter = <Name extends keyof ChargeRow>(name: Name) => ChargeRow[Name];

function sumsOf(p: ChargeParameter) {
	return {
		day: p("day"),
		model: p("model"),
		provider: p("provider"),
		calls: 1,
		input_tokens: p("inputTokens"),
		output_tokens: p("outputTokens"),
		cache_read_tokens: p("cacheReadTokens"),
		cache_write_tokens: p("cacheWriteTokens"),
		cost: p("cost"),
		epoch: 1,
		v: 1,
	};
}

const addCharge = hotStatement<Tables, ChargeRow>((db, p) =>
	db
		.insertInto("usage_days")
		.values([
			{ ...sumsOf(p), scope: p("sessionId") },
			{ ...sumsOf(p), scope: gatewayScope },
		])
		.onConflict(addUp),
);

const addToAccount = hotStatement<Tables, ChargeRow>((db, p) =>
	db
		.insertInto("usage_days")
		.values({ ...sumsOf(p), scope: p("sessionId") })
		.onConflict(addUp),
);

const sumOfSession = hotStatement<
	Tables,
	{ sessionId: string },
	{
		input: number | null;
		output: number | null;
		read: number | null;
		write: number | null;
		cost: number | null;
	}
>((db, p) =>
	db
		.selectFrom("usage_days")
		.select(({ fn }) => [
			fn.sum<number | null>("input_tokens").as("input"),
			fn.sum<number | null>("output_tokens").as("output"),
			fn.sum<number | null>("cache_read_tokens").as("read"),
			fn.sum<number | null>("cache_write_tokens").as("write"),
			fn.sum<number | null>("cost").as("cost"),
		])
		.where("scope", "=", p("sessionId")),
);

/**
 * Adds a model call to the usage of the call's session, of the sessions in `accounts` and of the gateway. Returns a
 * `budget.reached` event for each budget that reaches 80 % or 100 % of its limit through this call.
 */
export async function addToBudgets(tx: Tx, charge: Charge, budgets: Budgets): Promise<RecordedEvent[]> {
	const { sessionId, at, model, provider, usage, cost } = charge;
	const { accounts = [] } = charge;
	const row = { ...usage, day: dayOf(at), model, provider, cost };
	// Accounts are updated in a fixed order, so that concurrent transactions cannot cause a deadlock. The account that most
	// sessions share is first.
	for (const account of accounts.toReversed()) await addToAccount(tx, { ...row, sessionId: account });
	await addCharge(tx, { ...row, sessionId });
	if (cost === 0) return [];
	const payer = accounts.at(-1) ?? sessionId;
	return (await limitedOf(tx, { sessionId: payer, at }, budgets)).flatMap((state) => {
		const percent = crossed(state.spent - cost, state.spent, state.limit);
		const { scope, period, spent, limit } = state;
		return percent ? [{ type: "budget.reached" as const, scope, period, percent, spent, limit }] : [];
	});
}

/**
 * Returns the smallest remaining budget of the gateway and the session in billionths of a US dollar, or undefined if
 * there is no budget.
 */
export async function budgetLeft(
	store: Store<Tables>,
	sessionId: string,
	now: number,
	budgets: Budgets,
): Promise<number | undefined> {
	if (!isConfigured(budgets) && !(await hasSetBudgets(store))) return undefined;
	const states = await store.read((db) => limitedOf(db, { sessionId, at: now }, budgets));
	return states.length === 0 ? undefined : Math.min(...states.map(({ spent, limit }) => limit - spent));
}

/**
 * Throws `resource_exhausted` with advice if a budget of the gateway or the session is spent. Returns whether any budget
 * applies.
 */
export async function refuseWhenSpent(
	store: Store<Tables>,
	sessionId: string,
	now: number,
	budgets: Budgets,
): Promise<boolean> {
	if (!isConfigured(budgets) && !(await hasSetBudgets(store))) return false;
	const states = await store.read((db) => limitedOf(db, { sessionId, at: now }, budgets));
	const spent = states.find((state) => state.spent >= state.limit);
	if (spent) throw new ParleyError(describeSpent(spent, now), { code: "resource_exhausted" });
	return states.length > 0;
}

/** Returns the total usage of a session, including usage that the transaction `tx` has added. */
export async function sessionTotal(tx: Tx, sessionId: string): Promise<Usage & { readonly cost: number }> {
	const [sum] = await sumOfSession(tx, { sessionId });
	return {
		inputTokens: Number(sum?.input ?? 0),
		outputTokens: Number(sum?.output ?? 0),
		cacheReadTokens: Number(sum?.read ?? 0),
		cacheWriteTokens: Number(sum?.write ?? 0),
		cost: Number(sum?.cost ?? 0),
	};
}

/** Returns the total usage of several sessions. Leaves out sessions without usage. */
export async function sessionTotals(
	db: Tx,
	sessionIds: readonly string[],
): Promise<ReadonlyMap<string, Usage & { readonly cost: number }>> {
	const rows = await db
		.selectFrom("usage_days")
		.select(({ fn }) => [
			"scope",
			fn.sum<number>("input_tokens").as("inputTokens"),
			fn.sum<number>("output_tokens").as("outputTokens"),
			fn.sum<number>("cache_read_tokens").as("cacheReadTokens"),
			fn.sum<number>("cache_write_tokens").as("cacheWriteTokens"),
			fn.sum<number>("cost").as("cost"),
		])
		.where("scope", "in", sessionIds)
		.groupBy("scope")
		.execute();
	const numbers = ({ scope: _, ...sums }: (typeof rows)[number]): Usage & { readonly cost: number } => ({
		inputTokens: Number(sums.inputTokens),
		outputTokens: Number(sums.outputTokens),
		cacheReadTokens: Number(sums.cacheReadTokens),
		cacheWriteTokens: Number(sums.cacheWriteTokens),
		cost: Number(sums.cost),
	});
	return new Map(rows.map((row) => [row.scope, numbers(row)]));
}

type Limited = BudgetState & { readonly limit: number };

async function limitedOf(
	db: Tx,
	{ sessionId, at }: Pick<Charge, "sessionId" | "at">,
	budgets: Budgets,
): Promise<Limited[]> {
	const limits = await limitsOf(db, sessionId, budgets);
	const states = await budgetStatesOf(
		db,
		limits.filter(({ limit }) => limit !== null),
		at,
	);
	return states.flatMap((state) => (state.limit === null ? [] : [{ ...state, limit: state.limit }]));
}

/**
 * Returns the highest percentage of the limit, 80 or 100, that the spent amount reached between `before` and `after`.
 * Returns undefined if the spent amount reached neither percentage.
 */
function crossed(before: number, after: number, limit: number): BudgetReached["percent"] | undefined {
	const passes = (mark: number): boolean => before < mark && after >= mark;
	if (passes(limit)) return 100;
	return passes(limit - Math.floor(limit / 5)) ? 80 : undefined;
}

function isConfigured({ gateway, session }: Budgets): boolean {
	return [gateway.day, gateway.month, session.day, session.month].some((limit) => limit !== undefined);
}

function describeSpent({ scope, sessionId, period, spent, limit }: Limited, now: number): string {
	const scopeName = scope === "gateway" ? budgetTexts.ofGateway : budgetTexts.ofSession;
	const restartsAt = new Date(nextStart(period, now)).toISOString().slice(0, 16).replace("T", " ");
	const option = sessionId === undefined ? "" : ` --session ${sessionId}`;
	return budgetTexts.spent({
		scope: scopeName,
		period,
		spent: formatDollars(spent),
		limit: formatDollars(limit),
		resets: restartsAt,
		option,
	});
}
