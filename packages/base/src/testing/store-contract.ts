import assert from "node:assert/strict";
import type { Generated } from "kysely";
import { ParleyError } from "../errors.ts";
import type { Migration, Store } from "../store/store.ts";

export interface ContractTables {
	items: { id: string; state: string; n: number; position: Generated<number> };
	parts: { item: string };
}

/**
 * One requirement of every store. `check` rejects if the store does not meet the requirement. Checks may use the same
 * store, one after the other.
 */
export interface ContractCase<Tested> {
	readonly name: string;
	check(tested: Tested): Promise<void>;
}

/**
 * Schema that a store needs for `storeContract`. The database checks the references from `parts` to `items` only at the
 * commit.
 */
export const contractMigration: Migration = {
	name: "0001-contract",
	async up(db, engine) {
		await db.schema
			.createTable("items")
			.addColumn("position", engine === "sqlite" ? "integer" : "bigserial", (column) => column.primaryKey())
			.addColumn("id", "text", (column) => column.notNull().unique())
			.addColumn("state", "text", (column) => column.notNull())
			.addColumn("n", "integer", (column) => column.notNull())
			.execute();
		await db.schema
			.createTable("parts")
			.addColumn("item", "text", (column) => column.notNull())
			.addForeignKeyConstraint("parts_item", ["item"], "items", ["id"], (constraint) =>
				constraint.deferrable().initiallyDeferred(),
			)
			.execute();
	},
};

type ContractStore = Store<ContractTables>;

/** Requirements of every store, for all engines. */
export const storeContract: readonly ContractCase<ContractStore>[] = [
	{
		name: "commands run and resolve in the order of the calls",
		async check(store) {
			await clear(store);
			const resolved: string[] = [];
			const ids = ["c", "a", "b", "d"];
			await Promise.all(ids.map((id) => insert(store, id).then(() => resolved.push(id))));
			assert.deepEqual(await storedIds(store), ids);
			assert.deepEqual(resolved, ids);
		},
	},
	{
		name: "a command's result is what it returned",
		async check(store) {
			assert.equal(await store.commit(async () => "done"), "done");
		},
	},
	{
		name: "a command that throws is rolled back alone and rejects with its own error",
		async check(store) {
			await clear(store);
			const refusal = new ParleyError("no", { code: "aborted" });
			const refused = store.commit(async (tx) => {
				await tx.insertInto("items").values({ id: "refused", state: "open", n: 0 }).execute();
				throw refusal;
			});
			const results = await Promise.allSettled([insert(store, "before"), refused, insert(store, "after")]);
			assert.deepEqual(
				results.map((result) => (result.status === "rejected" ? result.reason : result.status)),
				["fulfilled", refusal, "fulfilled"],
			);
			assert.deepEqual(await storedIds(store), ["before", "after"]);
		},
	},
	{
		name: "a statement that the database refuses spoils only its own command",
		async check(store) {
			await clear(store);
			const commands = ["a", "a", "b"].map((id) => insert(store, id));
			const results = await Promise.allSettled(commands);
			assert.deepEqual(
				results.map((result) => result.status),
				["fulfilled", "rejected", "fulfilled"],
			);
			assert.deepEqual(await storedIds(store), ["a", "b"]);
		},
	},
	{
		name: "a commit that fails rejects every command of its tick, keeps nothing, and the store goes on",
		async check(store) {
			await clear(store);
			const orphan = store.commit((tx) => tx.insertInto("parts").values({ item: "nobody" }).execute());
			const results = await Promise.allSettled([insert(store, "before"), orphan, insert(store, "after")]);
			for (const result of results) {
				assert(result.status === "rejected" && result.reason instanceof ParleyError);
				assert.equal(result.reason.code, "unavailable");
				assert(result.reason.cause instanceof Error);
			}
			assert.deepEqual(await storedIds(store), []);
			await insert(store, "later");
			assert.deepEqual(await storedIds(store), ["later"]);
		},
	},
	{
		name: "a read sees nothing of a transaction that is not committed",
		async check(store) {
			await clear(store);
			let during: Promise<string[]> | undefined;
			const refused = store.commit(async (tx) => {
				await tx.insertInto("items").values({ id: "never", state: "open", n: 0 }).execute();
				during = storedIds(store);
				throw new ParleyError("no", { code: "aborted" });
			});
			await assert.rejects(refused);
			assert.deepEqual(await during, []);
		},
	},
	{
		name: "a command sees what earlier commands of its tick did",
		async check(store) {
			await clear(store);
			const first = insert(store, "a");
			const seen = store.commit((tx) => tx.selectFrom("items").select("id").execute());
			await first;
			assert.deepEqual(
				(await seen).map((row) => row.id),
				["a"],
			);
		},
	},
	{
		name: "of many who compare and set at once, one wins",
		async check(store) {
			await clear(store);
			await insert(store, "a");
			const answer = () =>
				store.commit((tx) =>
					tx
						.updateTable("items")
						.set({ state: "answered" })
						.where("id", "=", "a")
						.where("state", "=", "open")
						.executeTakeFirstOrThrow(),
				);
			const results = await Promise.all([answer(), answer(), answer()]);
			assert.deepEqual(
				results.map((result) => result.numUpdatedRows),
				[1n, 0n, 0n],
			);
		},
	},
	{
		name: "fifty concurrent appends that read before they write keep fifty",
		async check(store) {
			await clear(store);
			await insert(store, "a");
			const append = () =>
				store.commit(async (tx) => {
					const row = await tx
						.selectFrom("items")
						.select("n")
						.where("id", "=", "a")
						.executeTakeFirstOrThrow();
					await tx
						.updateTable("items")
						.set({ n: row.n + 1 })
						.where("id", "=", "a")
						.execute();
				});
			await Promise.all(Array.from({ length: 50 }, append));
			const row = await store.read((db) => db.selectFrom("items").select("n").executeTakeFirstOrThrow());
			assert.equal(row.n, 50);
		},
	},
	{
		name: "a command called from inside another one runs in a later transaction",
		async check(store) {
			await clear(store);
			let inner: Promise<void> | undefined;
			const outer = store.commit(async (tx) => {
				inner = insert(store, "inner");
				await tx.insertInto("parts").values({ item: "nobody" }).execute();
			});
			// The inner insert survives the failure of the outer transaction, so it belongs to another transaction.
			await assert.rejects(outer, { code: "unavailable" });
			await inner;
			assert.deepEqual(await storedIds(store), ["inner"]);
		},
	},
	{
		name: "a command cannot begin a transaction of its own",
		async check(store) {
			const nested = store.commit((tx) => tx.transaction().execute(async () => undefined));
			await assert.rejects(nested, { code: "failed_precondition" });
		},
	},
];

function insert(store: ContractStore, id: string): Promise<void> {
	return store.commit(async (tx) => {
		await tx.insertInto("items").values({ id, state: "open", n: 0 }).execute();
	});
}

async function storedIds(store: ContractStore): Promise<string[]> {
	const rows = await store.read((db) => db.selectFrom("items").select("id").orderBy("position").execute());
	return rows.map((row) => row.id);
}

async function clear(store: ContractStore): Promise<void> {
	await store.commit((tx) => tx.deleteFrom("items").execute());
}
