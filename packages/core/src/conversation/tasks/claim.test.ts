import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { openPgliteStore } from "@parley/base/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrations } from "../../store/migrations/migrations.ts";
import type { Tables } from "../../store/tables.ts";
import type { TaskRow } from "../../store/task-rows.ts";
import { insertOpenRun, insertTaskRow } from "../../testing/task-row.ts";
import { claimEnded, claimTask, leaseMs, nextClaim, releaseAll, releaseClaim, renewClaim } from "./claim.ts";

const directory = await mkdtemp(join(tmpdir(), "parley-claim-"));
afterAll(() => rm(directory, { recursive: true, force: true }));

const engines: readonly [string, () => Promise<Store<Tables>>][] = [
	["SQLite", () => openSqliteStore<Tables>({ file: join(directory, "claim.sqlite"), migrations })],
	["PGlite", () => openPgliteStore<Tables>({ migrations })],
];

describe.each(engines)("on %s", (_engine, open) => {
	let store: Store<Tables>;
	beforeAll(async () => {
		store = await open();
	});
	afterAll(() => store.close());
	beforeEach(() =>
		store.commit(async (tx) => {
			for (const table of ["task_needs", "tasks", "runs", "sessions"] as const)
				await tx.deleteFrom(table).execute();
		}),
	);

	const add = (...rows: readonly Parameters<typeof insertTaskRow>[1][]): Promise<TaskRow[]> =>
		store.commit(async (tx) => {
			const added: TaskRow[] = [];
			for (const row of rows) added.push(await insertTaskRow(tx, row));
			return added;
		});
	const claim = (now: number, worker = "w1", except: readonly string[] = []) =>
		store.commit((tx) => claimTask(tx, { worker, now, except }));
	const claimAll = async (now: number): Promise<string[]> => {
		const ids: string[] = [];
		for (let row = await claim(now); row; row = await claim(now)) ids.push(row.id);
		return ids;
	};

	test("the most urgent tasks come first, then started ones, then the oldest", async () => {
		await add(
			{ id: "low", priority: 0, created_at: 1 },
			{ id: "late", created_at: 9 },
			{ id: "early", created_at: 2 },
			{ id: "begun", created_at: 10, started_at: 5 },
			{ id: "high", priority: 2, created_at: 11 },
		);
		expect(await claimAll(100)).toEqual(["high", "begun", "early", "late", "low"]);
	});

	test("a postponed task is not claimed before its time", async () => {
		await add({ id: "later", not_before: 500 });
		expect(await claim(499)).toBeUndefined();
		expect(await store.read(nextClaim)).toBe(500);
		expect((await claim(500))?.id).toBe("later");
	});

	test("a dependent task waits until the other one is completed, and its time does not run before", async () => {
		await add({ id: "first", state: "suspended" }, { id: "second", needs: ["first"] });
		expect(await claim(100)).toBeUndefined();
		expect(await store.read(nextClaim)).toBeUndefined();
		await store.commit((tx) =>
			tx.updateTable("tasks").set({ state: "completed" }).where("id", "=", "first").execute(),
		);
		expect((await claim(100))?.id).toBe("second");
	});

	test.each(["waiting", "suspended", "completed", "failed", "cancelled"] as const)(
		"a task that is %s is not claimed",
		async (state) => {
			await add({ id: "one", state });
			expect(await claim(100)).toBeUndefined();
		},
	);

	test("a claim is valid for its lease, and the next one increases the epoch", async () => {
		await add({ id: "one" });
		const first = await claim(100, "w1");
		expect(first).toMatchObject({ state: "running", worker: "w1", lease_until: 100 + leaseMs });
		expect(await claim(99 + leaseMs, "w2")).toBeUndefined();
		expect(await store.read(nextClaim)).toBe(100 + leaseMs);
		const second = await claim(100 + leaseMs, "w2");
		expect([second?.worker, Number(second?.epoch) - Number(first?.epoch)]).toEqual(["w2", 1]);
	});

	test("a worker that lost a claim can neither renew nor release it", async () => {
		await add({ id: "one" });
		const lost = { taskId: "one", worker: "w1", epoch: Number((await claim(0, "w1"))?.epoch) };
		const current = { taskId: "one", worker: "w2", epoch: Number((await claim(leaseMs, "w2"))?.epoch) };
		const renew = (claim: typeof lost, now: number) =>
			store.commit((tx) => renewClaim(tx, claim, { now, workedMs: 0 }));
		expect(await renew(lost, leaseMs + 1)).toBeUndefined();
		expect(await renew({ ...lost, worker: "w2" }, leaseMs + 1)).toBeUndefined();
		await store.commit((tx) => releaseClaim(tx, lost));
		expect(await claim(leaseMs + 1, "w3")).toBeUndefined();
		expect(await renew(current, leaseMs + 500)).toBe("running");
		expect(await claim(2 * leaseMs + 499, "w3")).toBeUndefined();
		await store.commit((tx) => releaseClaim(tx, current));
		expect((await claim(leaseMs + 501, "w3"))?.worker).toBe("w3");
	});

	test("the worker of a claim learns that its task was cancelled", async () => {
		await add({ id: "one" });
		const epoch = Number((await claim(0))?.epoch);
		await store.commit((tx) => tx.updateTable("tasks").set({ state: "cancelled" }).execute());
		expect(
			await store.commit((tx) =>
				renewClaim(tx, { taskId: "one", worker: "w1", epoch }, { now: 5, workedMs: 0 }),
			),
		).toBe("cancelled");
	});

	test("a worker does not claim a task that it already has", async () => {
		await add({ id: "one" });
		await claim(0);
		expect(await claim(leaseMs, "w1", ["one"])).toBeUndefined();
		expect((await claim(leaseMs, "w2"))?.id).toBe("one");
	});

	test("two workers that claim at the same time get different tasks", async () => {
		await add({ id: "one" }, { id: "two" });
		const rows = await Promise.all([claim(1, "w1"), claim(1, "w2"), claim(1, "w3")]);
		expect(rows.map((row) => row?.id)).toEqual(["one", "two", undefined]);
	});

	test("all claims of a process that has ended are released at once", async () => {
		await add({ id: "one" }, { id: "two" });
		await claimAll(100);
		await store.commit(releaseAll);
		expect(await claimAll(101)).toEqual(["one", "two"]);
	});

	test("a task that ended without its run is claimed again to end the run after its lease", async () => {
		const [cancelled, remaining, done] = await add(
			{ id: "gone", state: "cancelled", lease_until: 50, worker: "w1" },
			{ id: "kept", state: "failed", lease_until: 500, worker: "w1" },
			{ id: "done", state: "completed" },
			{ id: "open", state: "suspended" },
		);
		await store.commit(async (tx) => {
			for (const row of [cancelled, remaining]) if (row) await insertOpenRun(tx, row);
		});
		const claimLeft = (now: number) => store.commit((tx) => claimEnded(tx, { worker: "w2", now }));
		expect(await store.read(nextClaim)).toBe(50);
		expect(await claimLeft(49)).toBeUndefined();
		expect(await claimLeft(100)).toMatchObject({ id: "gone", state: "cancelled", worker: "w2" });
		expect(await claimLeft(100)).toBeUndefined();
		expect(await claimLeft(500)).toMatchObject({ id: "kept", state: "failed" });
		expect(await claim(1_000_000)).toBeUndefined();
		expect(done?.state).toBe("completed");
	});
});
