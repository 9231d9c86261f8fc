import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { ManualClock, openPgliteStore, paced } from "@parley/base/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrations } from "../store/migrations/migrations.ts";
import type { Tables } from "../store/tables.ts";
import type { RecordedEvent } from "../vocabulary/event.ts";
import { type Budgets, noBudgets } from "../vocabulary/usage.ts";
import { addToBudgets, refuseWhenSpent, sessionTotal } from "./ledger.ts";
import { type BudgetChange, writeBudget } from "./set-budget.ts";

const dollar = 1_000_000_000;
const hour = 60 * 60 * 1000;
const directory = await mkdtemp(join(tmpdir(), "parley-ledger-"));
afterAll(() => rm(directory, { recursive: true }));

const engines = {
	sqlite: () => openSqliteStore<Tables>({ file: join(directory, "parley.sqlite"), migrations }),
	postgres: () => openPgliteStore<Tables>({ migrations }),
};

describe.each(["sqlite", "postgres"] as const)("%s", (engine) => {
	let store: Store<Tables>;
	let clock: ManualClock;
	let reached: RecordedEvent[];

	beforeAll(async () => {
		store = await engines[engine]();
	}, paced(60_000));
	afterAll(() => store.close());
	beforeEach(async () => {
		clock = new ManualClock(Date.UTC(2026, 0, 31, 22));
		reached = [];
		await store.commit(async (tx) => {
			await tx.deleteFrom("usage_days").execute();
			await tx.deleteFrom("budgets").execute();
		});
	});

	const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30 };
	const charge = async (budgets: Budgets, usd: number, sessionId = "sess_a"): Promise<void> => {
		const call = { sessionId, at: clock.now(), model: "m", provider: "p", usage, cost: usd * dollar };
		reached.push(...(await store.commit((tx) => addToBudgets(tx, call, budgets))));
	};
	const set = (change: BudgetChange): Promise<void> =>
		store.commit((tx) => writeBudget(tx, change, { store, by: "operator", at: clock.now() }));
	const refusal = (budgets: Budgets, sessionId = "sess_a") =>
		refuseWhenSpent(store, sessionId, clock.now(), budgets).then(
			() => undefined,
			(reason: Error) => reason.message,
		);

	test("the cost of calls is summed for their session and for the gateway, by day and model", async () => {
		await charge(noBudgets, 1);
		await charge(noBudgets, 2);
		await charge(noBudgets, 4, "sess_b");
		clock.advance(2 * hour);
		await charge(noBudgets, 8);
		const rows = await store.read((db) => db.selectFrom("usage_days").selectAll().execute());
		const sums = rows.map((row) => [row.scope, row.day, Number(row.calls), Number(row.cost) / dollar]);
		expect(sums.sort()).toEqual([
			["", "2026-01-31", 3, 7],
			["", "2026-02-01", 1, 8],
			["sess_a", "2026-01-31", 2, 3],
			["sess_a", "2026-02-01", 1, 8],
			["sess_b", "2026-01-31", 1, 4],
		]);
		expect(await store.commit((tx) => sessionTotal(tx, "sess_a"))).toEqual({
			inputTokens: 300,
			outputTokens: 30,
			cacheReadTokens: 180,
			cacheWriteTokens: 90,
			cost: 11 * dollar,
		});
		expect((await store.commit((tx) => sessionTotal(tx, "sess_c"))).cost).toBe(0);
		expect(reached).toEqual([]);
	});

	test("80 % and the end of a budget are reported once each, by the call that reaches them", async () => {
		const budgets: Budgets = { gateway: { day: 10 * dollar }, session: {} };
		const event = { type: "budget.reached", scope: "gateway", period: "day", limit: 10 * dollar };
		await charge(budgets, 7.999999999);
		expect(reached).toEqual([]);
		await charge(budgets, 0.000000001, "sess_b");
		expect(reached).toEqual([{ ...event, percent: 80, spent: 8 * dollar }]);
		await charge(budgets, 1);
		await charge(budgets, 1.5);
		await charge(budgets, 1);
		expect(reached.slice(1)).toEqual([{ ...event, percent: 100, spent: 10.5 * dollar }]);
	});

	test("a call that exceeds both limits reports only the end, for every budget that it ends", async () => {
		const budgets: Budgets = {
			gateway: { day: dollar, month: 100 * dollar },
			session: { month: 2 * dollar },
		};
		await charge(budgets, 3);
		expect(reached).toMatchObject([
			{ scope: "gateway", period: "day", percent: 100, spent: 3 * dollar },
			{ scope: "session", period: "month", percent: 100, spent: 3 * dollar },
		]);
	});

	test("a raised budget can be reached again", async () => {
		const budgets: Budgets = { gateway: {}, session: { day: dollar } };
		await charge(budgets, 1);
		await set({ scope: "session", sessionId: "sess_a", period: "day", limit: 2 * dollar });
		await charge(budgets, 1);
		expect(reached).toMatchObject([
			{ percent: 100, limit: dollar },
			{ percent: 100, limit: 2 * dollar },
		]);
	});

	test("a charge that is rolled back reaches no budget", async () => {
		const budgets: Budgets = { gateway: { day: dollar }, session: {} };
		const failed = store.commit(async (tx) => {
			const at = clock.now();
			const call = { sessionId: "s", at, model: "m", provider: "p", usage, cost: dollar };
			await addToBudgets(tx, call, budgets);
			throw new Error("no");
		});
		await expect(failed).rejects.toThrow("no");
		await charge(budgets, 0.85);
		expect(reached).toMatchObject([{ percent: 80, spent: 0.85 * dollar }]);
	});

	test("a spent day refuses calls until midnight UTC, with advice", async () => {
		const budgets: Budgets = { gateway: { day: 10 * dollar }, session: {} };
		await charge(budgets, 9.99);
		expect(await refusal(budgets)).toBeUndefined();
		await charge(budgets, 0.01);
		expect(await refusal(budgets)).toBe(
			"the gateway's budget for this day is spent: $10.00 of $10.00; it resets at 2026-02-01 00:00 UTC; " +
				"the operator can raise it with parley budget set day DOLLARS",
		);
		expect(await refusal(budgets, "sess_other")).toContain("the gateway's budget");
		clock.advance(2 * hour - 1);
		expect(await refusal(budgets)).toContain("is spent");
		clock.advance(1);
		expect(await refusal(budgets)).toBeUndefined();
	});

	test("a spent month of a session refuses that session until the month ends", async () => {
		clock = new ManualClock(Date.UTC(2026, 1, 1));
		const budgets: Budgets = { gateway: {}, session: { day: dollar, month: dollar } };
		await charge(budgets, 1.25);
		clock.advance(27 * 24 * hour + 23 * hour);
		expect(await refusal(budgets)).toBe(
			"this session's budget for this month is spent: $1.25 of $1.00; it resets at 2026-03-01 00:00 UTC; " +
				"the operator can raise it with parley budget set month DOLLARS --session sess_a",
		);
		expect(await refusal(budgets, "sess_b")).toBeUndefined();
		clock.advance(hour);
		expect(await refusal(budgets)).toBeUndefined();
	});

	test("the operator's budget replaces the configured one until it is reset", async () => {
		const budgets: Budgets = { gateway: { day: dollar }, session: {} };
		await charge(budgets, 1);
		expect(await refusal(budgets)).toContain("of $1.00");
		await set({ scope: "gateway", period: "day", limit: 5 * dollar });
		expect(await refusal(budgets)).toBeUndefined();
		await set({ scope: "gateway", period: "day", limit: 0.5 * dollar });
		expect(await refusal(budgets)).toContain("of $0.50");
		await set({ scope: "gateway", period: "day", limit: null });
		expect(await refusal(budgets)).toBeUndefined();
		await set({ scope: "gateway", period: "day", limit: "configured" });
		expect(await refusal(budgets)).toContain("of $1.00");
		const rows = await store.read((db) => db.selectFrom("budgets").selectAll().execute());
		expect(rows).toEqual([]);
	});

	test("a budget of 0 allows no call", async () => {
		await set({ scope: "session", sessionId: "sess_a", period: "day", limit: 0 });
		expect(await refusal(noBudgets)).toContain("$0.00 of $0.00");
		expect(await refusal(noBudgets, "sess_b")).toBeUndefined();
	});

	test.each<[BudgetChange, string]>([
		[{ scope: "session", period: "day", limit: 1 }, "add the id of the session"],
		[{ scope: "gateway", sessionId: "sess_a", period: "day", limit: 1 }, "leave out the id of the session"],
		[{ scope: "gateway", period: "day", limit: -1 }, "-1 billionths"],
		[{ scope: "gateway", period: "day", limit: 0.5 }, "0.5 billionths"],
	])("the change %j is refused", async (change, message) => {
		await expect(set(change)).rejects.toMatchObject({
			code: "invalid_argument",
			message: expect.stringContaining(message),
		});
	});
});

test("without a budget the database is read only once, until one is set", async () => {
	const inner = await openSqliteStore<Tables>({ file: join(directory, "quiet.sqlite"), migrations });
	let reads = 0;
	const store: Store<Tables> = {
		engine: inner.engine,
		commit: (command) => inner.commit(command),
		read: (query) => {
			reads += 1;
			return inner.read(query);
		},
		health: () => inner.health(),
		close: () => inner.close(),
	};
	for (let call = 0; call < 3; call++) await refuseWhenSpent(store, "sess_a", 0, noBudgets);
	expect(reads).toBe(1);
	const change: BudgetChange = { scope: "gateway", period: "month", limit: 0 };
	await store.commit(async (tx) => {
		await writeBudget(tx, change, { store, by: "operator", at: 0 });
		await refuseWhenSpent(store, "sess_a", 0, noBudgets);
	});
	await expect(refuseWhenSpent(store, "sess_a", 0, noBudgets)).rejects.toMatchObject({
		code: "resource_exhausted",
	});
	await store.close();
});
