import {
	type ContractTables,
	contractMigration,
	openPostgresStore,
	storeContract,
} from "@parley/base/testing";
import { expect, onTestFinished } from "vitest";
import { test } from "./postgres-test.ts";

async function open(connection: string) {
	const store = await openPostgresStore<ContractTables>({ connection, migrations: [contractMigration] });
	onTestFinished(() => store.close());
	return store;
}
type ContractStore = Awaited<ReturnType<typeof open>>;
type Tx = Parameters<Parameters<ContractStore["commit"]>[0]>[0];

const insert = (tx: Tx, id: string, state = "open") =>
	tx.insertInto("items").values({ id, state, n: 0 }).execute();
const add = (store: ContractStore, id: string, state?: string) => store.commit((tx) => insert(tx, id, state));
const touch = (tx: Tx, id: string) =>
	tx
		.updateTable("items")
		.set((eb) => ({ n: eb("n", "+", 1) }))
		.where("id", "=", id)
		.execute();
const stored = async (store: ContractStore) => {
	const rows = await store.read((db) => db.selectFrom("items").select("id").orderBy("id").execute());
	return rows.map(({ id }) => id);
};
const unavailable = { code: "unavailable" };

test("it is a store", async ({ database }) => {
	const store = await open(database);
	for (const { name, check } of storeContract) await expect(check(store), name).resolves.toBeUndefined();
});

test("close finishes what was called before it and refuses what comes later", async ({ database }) => {
	const store = await open(database);
	const before = store.commit(async () => "finished");
	const closed = store.close();
	expect(await before).toBe("finished");
	await expect(store.commit(async () => "late")).rejects.toMatchObject(unavailable);
	await closed;
	await expect(store.read(async () => "late")).rejects.toMatchObject(unavailable);
	await store.close();
});

test("what one store has committed another one sees, and reads change nothing", async ({ database }) => {
	const [one, other] = [await open(database), await open(database)];
	await add(one, "a");
	expect(await stored(other)).toEqual(["a"]);
	await expect(other.read((db) => db.deleteFrom("items").execute())).rejects.toThrow("read-only");
	expect(await stored(one)).toEqual(["a"]);
});

test("large numbers are numbers while that is exact", async ({ database, server }) => {
	const store = await open(database);
	await add(store, "a");
	const positions = async (position: bigint) => {
		await server.query(`update items set position = ${position}`, database);
		return store.read((db) => db.selectFrom("items").select("position").execute());
	};
	const largest = BigInt(Number.MAX_SAFE_INTEGER);
	expect(await positions(largest)).toEqual([{ position: Number.MAX_SAFE_INTEGER }]);
	expect(await positions(largest + 1n)).toEqual([{ position: largest + 1n }]);
});

test("a database of a newer program is refused", async ({ database }) => {
	await open(database);
	await expect(openPostgresStore({ connection: database, migrations: [] })).rejects.toMatchObject({
		code: "failed_precondition",
	});
});

test("of transactions that wait for each other one is ended, and can be tried again", async ({
	database,
}) => {
	const [one, other] = [await open(database), await open(database)];
	await add(one, "a");
	await add(one, "b");
	const bothHold = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const cross = (store: ContractStore, ids: readonly [string, string], turn: 0 | 1) =>
		store.commit(async (tx) => {
			await touch(tx, ids[0]);
			bothHold[turn]?.resolve();
			await Promise.all(bothHold.map(({ promise }) => promise));
			await touch(tx, ids[1]);
		});
	const crossing = await Promise.allSettled([cross(one, ["a", "b"], 0), cross(other, ["b", "a"], 1)]);
	expect(crossing.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
	expect(crossing.find(({ status }) => status === "rejected")).toMatchObject({
		reason: { ...unavailable, cause: { cause: { code: "40P01" } } },
	});
	for (const store of [one, other]) await store.commit((tx) => touch(tx, "a"));
	const rows = await one.read((db) => db.selectFrom("items").select(["id", "n"]).orderBy("id").execute());
	expect(rows).toEqual([
		{ id: "a", n: 3 },
		{ id: "b", n: 1 },
	]);
});

test("a transaction that cannot be serialized takes all its commands with it", async ({
	database,
	server,
}) => {
	const store = await open(database);
	await server.query(
		`create function refuse() returns trigger language plpgsql
			as $$ begin raise exception 'not today' using errcode = 'serialization_failure'; end $$;
		create trigger refusal before insert on items for each row when (new.state = 'odd') execute function refuse()`,
		database,
	);
	const results = await Promise.allSettled([add(store, "a"), add(store, "b", "odd"), add(store, "c")]);
	expect(results).toMatchObject(results.map(() => ({ status: "rejected", reason: unavailable })));
	expect(await stored(store)).toEqual([]);
	await add(store, "d");
	expect(await stored(store)).toEqual(["d"]);
	expect(store.health()).toEqual({ state: "ok" });
});

test("a command that goes on after a refused statement is not told that it was kept", async ({
	database,
}) => {
	const store = await open(database);
	await add(store, "a");
	const going = store.commit(async (tx) => {
		await insert(tx, "b");
		await insert(tx, "a").catch(() => undefined);
	});
	await expect(going).rejects.toMatchObject(unavailable);
	expect(await stored(store)).toEqual(["a"]);
});

test.for(["and a query finds out", "and the commit finds out"])(
	"a connection is lost in a transaction %s: nothing of it is kept, and the next one works",
	async (who, { database, server }) => {
		const store = await open(database);
		const lost = store.commit(async (tx) => {
			await insert(tx, "a");
			await server.disconnect(database);
			if (who === "and a query finds out") await insert(tx, "b");
		});
		const follower = add(store, "with it");
		await expect(lost).rejects.toMatchObject(unavailable);
		await expect(follower).rejects.toMatchObject(unavailable);
		await add(store, "c");
		expect(await stored(store)).toEqual(["c"]);
	},
);

test("while the server is away everything is unavailable, and afterwards all is there", async ({
	database,
	server,
}) => {
	const store = await open(database);
	await add(store, "a");
	await server.halt();
	await expect(add(store, "b")).rejects.toMatchObject(unavailable);
	await expect(stored(store)).rejects.toMatchObject(unavailable);
	await expect(open(database)).rejects.toMatchObject(unavailable);
	expect(store.health().state).toBe("failing");
	await server.resume();
	await add(store, "c");
	expect(await stored(store)).toEqual(["a", "c"]);
});
