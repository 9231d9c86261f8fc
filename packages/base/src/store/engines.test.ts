import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import {
	type ContractTables,
	contractMigration,
	ManualClock,
	openPgliteStore,
	storeContract,
} from "../testing/index.ts";
import { paced } from "../testing/pace.ts";
import { hotChange, hotInsert, hotStatement } from "./hot-statement.ts";
import { keyvMigration, openKeyv } from "./sql-keyv.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

const directory = mkdtempSync(join(tmpdir(), "store-"));
const migrations = [keyvMigration, contractMigration];
const engines = {
	sqlite: () => openSqliteStore<ContractTables>({ file: join(directory, "store.db"), migrations }),
	memory: () => openSqliteStore<ContractTables>({ file: ":memory:", migrations }),
	postgres: () => openPgliteStore<ContractTables>({ migrations }),
};

afterAll(() => rmSync(directory, { recursive: true }));

describe.each(["sqlite", "memory", "postgres"] as const)("%s", (engine) => {
	let store: Store<ContractTables>;
	beforeAll(async () => {
		store = await engines[engine]();
	}, paced(60_000));

	test.each(storeContract)("$name", async ({ check }) => {
		await expect(check(store)).resolves.toBeUndefined();
	});

	test("a hot statement writes, reads and returns its rows", async () => {
		await store.commit((tx) => tx.deleteFrom("items").execute());
		const insert = hotStatement<ContractTables, { id: string; n: number }, { n: number }>((db, p) =>
			db
				.insertInto("items")
				.values({ id: p("id"), state: "open", n: p("n") })
				.returning("n"),
		);
		const add = hotStatement<ContractTables, { id: string; by: number }>((db, p) =>
			db
				.updateTable("items")
				.set((eb) => ({ n: eb("n", "+", p("by")) }))
				.where("id", "=", p("id")),
		);
		const rows = await store.commit(async (tx) => {
			const inserted = await insert(tx, { n: 40, id: "a" });
			await insert(tx, { id: "b", n: 1 });
			return [...inserted, ...(await add(tx, { by: 2, id: "a" }))];
		});
		expect(rows).toEqual([{ n: 40 }]);
		const stored = await store.read((db) =>
			db.selectFrom("items").select(["id", "n"]).orderBy("id").execute(),
		);
		expect(stored).toEqual([
			{ id: "a", n: 42 },
			{ id: "b", n: 1 },
		]);
	});

	test("a hot change returns the number of changed rows, and a hot insertion the key of its row", async () => {
		await store.commit((tx) => tx.deleteFrom("items").execute());
		const insert = hotInsert<ContractTables, { id: string }, "items">("position", (db, p) =>
			db
				.insertInto("items")
				.values({ id: p("id"), state: "open", n: 1 })
				.onConflict((conflict) => conflict.column("id").doNothing()),
		);
		const move = hotChange<ContractTables, { from: number; to: number }>((db, p) =>
			db
				.updateTable("items")
				.set({ n: p("to") })
				.where("n", "=", p("from")),
		);
		const keys = await store.commit(async (tx) => {
			const inserted: (number | undefined)[] = [];
			for (const id of ["a", "b", "a", "c"]) inserted.push(await insert(tx, { id }));
			return inserted;
		});
		const stored = await store.read((db) => db.selectFrom("items").selectAll().orderBy("id").execute());
		const [a, b, c] = stored.map(({ position }) => Number(position));
		expect(keys).toEqual([a, b, undefined, c]);
		const changes = await store.commit(async (tx) => [
			await move(tx, { from: 1, to: 2 }),
			await move(tx, { from: 1, to: 3 }),
		]);
		expect(changes).toEqual([3, 0]);
	});

	test("keyv stores, overwrites and deletes values within its namespace", async () => {
		const clock = new ManualClock(systemClock.now());
		const first = openKeyv<unknown, ContractTables>({ store, clock, namespace: "first" });
		const second = openKeyv<unknown, ContractTables>({ store, clock, namespace: "second" });
		expect(await first.set("a", { deep: [1, "two"] })).toBe(true);
		await second.set("a", "other");
		await first.setMany([
			{ key: "b", value: { deep: [1] } },
			{ key: "a", value: { deep: [2] } },
		]);
		expect(await first.get("a")).toEqual({ deep: [2] });
		expect(await first.getMany(["b", "none"])).toEqual([{ deep: [1] }, undefined]);
		expect(await first.hasMany(["b", "none"])).toEqual([true, false]);
		expect(await first.deleteMany(["b", "none"])).toEqual([true, false]);
		expect(await first.delete("b")).toBe(false);
		await first.clear();
		expect(await first.has("a")).toBe(false);
		expect(await second.get("a")).toBe("other");
	});

	test("a keyv value expires on time, and its row is deleted with the next write", async () => {
		const clock = new ManualClock(systemClock.now());
		const keyv = openKeyv<string, ContractTables>({ store, clock, namespace: "ttl" });
		await keyv.set("short", "x", 60_000);
		await keyv.set("long", "y", 120_000);
		clock.advance(90_000);
		expect(await keyv.getMany(["short", "long"])).toEqual([undefined, "y"]);
		await keyv.set("other", "z");
		const { rows } = await store.read((db) =>
			sql`select key from kv where namespace = 'ttl' order by key`.execute(db),
		);
		expect(rows).toEqual([{ key: "long" }, { key: "other" }]);
	});

	test("close finishes earlier calls and refuses later ones", async () => {
		const before = store.commit(async () => "finished");
		const closed = store.close();
		expect(await before).toBe("finished");
		await expect(store.commit(async () => "late")).rejects.toMatchObject({ code: "unavailable" });
		await closed;
		await expect(store.read(async () => "late")).rejects.toMatchObject({ code: "unavailable" });
		await store.close();
	});
});
