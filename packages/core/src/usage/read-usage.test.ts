import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { openPgliteStore, paced } from "@parley/base/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations } from "../store/migrations/migrations.ts";
import type { Tables } from "../store/tables.ts";
import { type Budgets, noBudgets } from "../vocabulary/usage.ts";
import { addToBudgets } from "./ledger.ts";
import { readUsage, type UsageFilter } from "./read-usage.ts";
import { writeBudget } from "./set-budget.ts";

const dollar = 1_000_000_000;
const directory = await mkdtemp(join(tmpdir(), "parley-usage-"));
afterAll(() => rm(directory, { recursive: true }));

const engines = {
	sqlite: () => openSqliteStore<Tables>({ file: join(directory, "parley.sqlite"), migrations }),
	postgres: () => openPgliteStore<Tables>({ migrations }),
};

/** Day, session, model and dollars of each call. */
const calls: readonly (readonly [string, string, string, number])[] = [
	["2026-02-27", "sess_a", "small", 1],
	["2026-02-28", "sess_a", "small", 2],
	["2026-02-28", "sess_a", "large", 16],
	["2026-03-01", "sess_a", "small", 4],
	["2026-03-01", "sess_b", "small", 32],
	["2026-03-02", "sess_b", "large", 8],
];
const now = Date.UTC(2026, 2, 1, 23, 59);

describe.each(["sqlite", "postgres"] as const)("%s", (engine) => {
	let store: Store<Tables>;

	beforeAll(async () => {
		store = await engines[engine]();
		for (const [day, sessionId, model, usd] of calls) {
			const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30 };
			const charge = { sessionId, at: Date.parse(day), model, provider: "p", usage, cost: usd * dollar };
			await store.commit((tx) => addToBudgets(tx, charge, noBudgets));
		}
	}, paced(60_000));
	afterAll(() => store.close());

	const rowsOf = async (filter: UsageFilter) => {
		const { rows, total } = await readUsage(store, filter, now, noBudgets);
		return {
			rows: rows.map(({ key, calls, cost }) => [key, calls, cost / dollar]),
			cost: total.cost / dollar,
		};
	};

	test("days of all sessions are listed newest first", async () => {
		expect(await rowsOf({ by: "day" })).toEqual({
			rows: [
				["2026-03-02", 1, 8],
				["2026-03-01", 2, 36],
				["2026-02-28", 2, 18],
				["2026-02-27", 1, 1],
			],
			cost: 63,
		});
	});

	test("models within some days are listed by cost, with their provider and tokens", async () => {
		const report = await readUsage(
			store,
			{ by: "model", since: "2026-02-28", until: "2026-03-01" },
			now,
			noBudgets,
		);
		expect(report.rows).toMatchObject([
			{ key: "small", provider: "p", calls: 3, cost: 38 * dollar },
			{ key: "large", provider: "p", calls: 1, cost: 16 * dollar },
		]);
		expect(report.total).toEqual({
			calls: 4,
			usage: { inputTokens: 400, outputTokens: 40, cacheReadTokens: 240, cacheWriteTokens: 120 },
			cost: 54 * dollar,
		});
	});

	test("usage is returned for all sessions and for one session", async () => {
		expect(await rowsOf({ by: "session" })).toEqual({
			rows: [
				["sess_b", 2, 40],
				["sess_a", 4, 23],
			],
			cost: 63,
		});
		const one = { rows: [["sess_a", 1, 4]], cost: 4 };
		expect(await rowsOf({ by: "session", sessionId: "sess_a", since: "2026-03-01" })).toEqual(one);
		expect(await rowsOf({ by: "model", sessionId: "sess_a", until: "2026-02-27" })).toEqual({
			rows: [["small", 1, 1]],
			cost: 1,
		});
		expect(await rowsOf({ by: "day", sessionId: "sess_none" })).toEqual({ rows: [], cost: 0 });
	});

	test("budgets have their current state, for any requested days", async () => {
		const budgets: Budgets = { gateway: { day: 50 * dollar }, session: { month: 3 * dollar } };
		const filter: UsageFilter = { by: "day", sessionId: "sess_a", until: "2020-01-01" };
		await store.commit((tx) =>
			writeBudget(
				tx,
				{ scope: "session", sessionId: "sess_a", period: "day", limit: 0 },
				{ store, by: "operator", at: now },
			),
		);
		const session = { scope: "session", sessionId: "sess_a" };
		expect((await readUsage(store, filter, now, budgets)).budgets).toEqual([
			// Usage of the complete month of `now`. After a clock change, later amounts may already be stored.
			...[
				{
					scope: "gateway",
					period: "month",
					spent: 44 * dollar,
					limit: null,
					source: "configured",
					percent: 0,
				},
			],
			...[
				{
					scope: "gateway",
					period: "day",
					spent: 36 * dollar,
					limit: 50 * dollar,
					source: "configured",
					percent: 72,
				},
			],
			...[
				{
					...session,
					period: "month",
					spent: 4 * dollar,
					limit: 3 * dollar,
					source: "configured",
					percent: 133,
				},
			],
			...[{ ...session, period: "day", spent: 4 * dollar, limit: 0, source: "set", percent: 100 }],
		]);
		const { budgets: own } = await readUsage(store, { by: "day" }, now, budgets);
		expect(own.map(({ scope, period }) => `${scope} ${period}`)).toEqual(["gateway month", "gateway day"]);
	});

	test.each(["2026-2-1", "2026-02-30", "today", "2026-02-01T00:00", ""])("%j is not a day", async (since) => {
		await expect(readUsage(store, { by: "day", since }, now, noBudgets)).rejects.toMatchObject({
			code: "invalid_argument",
			message: expect.stringContaining("since: "),
		});
	});
});
