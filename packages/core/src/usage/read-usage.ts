import { ParleyError, type Store } from "@parley/base";
import { sql } from "kysely";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import type { Budgets, Usage } from "../vocabulary/usage.ts";
import { type BudgetState, budgetStatesOf, gatewayScope, limitsOf } from "./budget-state.ts";
import { dayOf } from "./period.ts";
import { budgetTexts } from "./texts.ts";

export interface UsageFilter {
	readonly sessionId?: string;
	/** First and last UTC day, YYYY-MM-DD, both inclusive. */
	readonly since?: string;
	readonly until?: string;
	readonly by: "day" | "model" | "session";
}

/** Model calls and their usage. `cost` is in billionths of a US dollar. */
export interface UsageSum {
	readonly calls: number;
	readonly usage: Usage;
	readonly cost: number;
}

export interface UsageRow extends UsageSum {
	/** Day, model name or session id, depending on the grouping of the report. */
	readonly key: string;
	/** Provider of the model. Only in a report by model. */
	readonly provider?: string;
}

export interface UsageReport {
	/** At most 1000 rows. Days are sorted by date, newest first. Models and sessions are sorted by cost, highest first. */
	readonly rows: readonly UsageRow[];
	/** Total of all matching usage. Includes deleted sessions, unless the filter names a session. */
	readonly total: UsageSum;
	/** Current state of the gateway's budgets. If the filter names a session, also the state of the session's budgets. */
	readonly budgets: readonly (BudgetState & {
		/** Spent share of the limit in percent, rounded down. 0 if there is no limit, and 100 for a limit of 0. */
		readonly percent: number;
	})[];
}

const maxRows = 1000;

/** Returns the usage of the model calls that match the filter, and the budgets. Throws `invalid_argument` for an invalid day. */
export async function readUsage(
	store: Store<Tables>,
	filter: UsageFilter,
	now: number,
	budgets: Budgets,
): Promise<UsageReport> {
	const { since, until } = filter;
	for (const [name, day] of Object.entries({ since, until })) checkDay(name, day);
	return store.read(async (db) => {
		const limits = await limitsOf(db, filter.sessionId, budgets);
		const states = await budgetStatesOf(db, limits, now);
		return {
			rows: await readRows(db, filter),
			total: toSum(await sumsOf(days(db, filter, scopeFor(filter))).executeTakeFirst()),
			budgets: states.map((state) => ({ ...state, percent: percentOf(state) })),
		};
	});
}

function days(db: Tx, { since, until }: UsageFilter, scope: string | undefined) {
	let query = db.selectFrom("usage_days");
	query = scope === undefined ? query.where("scope", "<>", gatewayScope) : query.where("scope", "=", scope);
	if (since !== undefined) query = query.where("day", ">=", since);
	if (until !== undefined) query = query.where("day", "<=", until);
	return query;
}

function scopeFor({ sessionId }: UsageFilter): string {
	return sessionId ?? gatewayScope;
}

function sumsOf(query: ReturnType<typeof days>) {
	return query.select(({ fn }) => [
		fn.sum<number | null>("calls").as("calls"),
		fn.sum<number | null>("input_tokens").as("input_tokens"),
		fn.sum<number | null>("output_tokens").as("output_tokens"),
		fn.sum<number | null>("cache_read_tokens").as("cache_read_tokens"),
		fn.sum<number | null>("cache_write_tokens").as("cache_write_tokens"),
		fn.sum<number | null>("cost").as("cost"),
	]);
}

type Sums = Awaited<ReturnType<ReturnType<typeof sumsOf>["execute"]>>[number];

async function readRows(db: Tx, filter: UsageFilter): Promise<UsageRow[]> {
	const scope = filter.by === "session" ? filter.sessionId : scopeFor(filter);
	const query = sumsOf(days(db, filter, scope)).limit(maxRows);
	switch (filter.by) {
		case "day": {
			const rows = await query.select("day").groupBy("day").orderBy("day", "desc").execute();
			return rows.map((row) => ({ key: row.day, ...toSum(row) }));
		}
		case "model": {
			const models = query.select(["model", "provider"]).groupBy(["model", "provider"]);
			const rows = await models.orderBy(sql`sum(cost)`, "desc").orderBy("model").execute();
			return rows.map((row) => ({ key: row.model, provider: row.provider, ...toSum(row) }));
		}
		case "session": {
			const sessions = query.select("scope").groupBy("scope");
			const rows = await sessions.orderBy(sql`sum(cost)`, "desc").orderBy("scope").execute();
			return rows.map((row) => ({ key: row.scope, ...toSum(row) }));
		}
	}
}

function toSum(row: Sums | undefined): UsageSum {
	return {
		calls: Number(row?.calls ?? 0),
		usage: {
			inputTokens: Number(row?.input_tokens ?? 0),
			outputTokens: Number(row?.output_tokens ?? 0),
			cacheReadTokens: Number(row?.cache_read_tokens ?? 0),
			cacheWriteTokens: Number(row?.cache_write_tokens ?? 0),
		},
		cost: Number(row?.cost ?? 0),
	};
}

function percentOf({ spent, limit }: BudgetState): number {
	if (limit === null) return 0;
	return limit === 0 ? 100 : Math.floor((spent * 100) / limit);
}

function checkDay(name: string, day: string | undefined): void {
	if (day === undefined) return;
	const at = Date.parse(`${day}T00:00:00Z`);
	if (/^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(at) && dayOf(at) === day) return;
	throw new ParleyError(budgetTexts.notDay(name, day.slice(0, 50)), {
		code: "invalid_argument",
	});
}
