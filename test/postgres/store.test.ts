import { type Logger, silentLogger } from "@parley/base";
import {
	type ContractTables,
	contractMigration,
	MemoryLogger,
	openPostgresStore,
	storeContract,
} from "@parley/base/testing";
import { expect, onTestFinished } from "vitest";
import { test } from "./postgres-test.ts";

async function open(connection: string, log: Logger = silentLogger) {
	const store = await openPostgresStore<ContractTables>({ connection, migrations: [contractMigration], log });
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

test("the PostgreSQL store has the behaviour of every store", async ({ database }) => {
	const store = await open(database);
	for (const { name, check } of storeContract) await expect(check(store), name).resolves.toBeUndefined();
});

test("close completes earlier calls and refuses later ones", async ({ database }) => {
	const store = await open(database);
	const before = store.commit(async () => "finished");
	const closed = store.close();
	expect(await before).toBe("finished");
	await expect(store.commit(async () => "late")).rejects.toMatchObject(unavailable);
	await closed;
	await expect(store.read(async () => "late")).rejects.toMatchObject(unavailable);
	await store.close();
});

test("one store sees the commits of another one, and reads change no row", async ({ database }) => {
	const [one, other] = [await open(database), await open(database)];
	await add(one, "a");
	expect(await stored(other)).toEqual(["a"]);
	await expect(other.read((db) => db.deleteFrom("items").execute())).rejects.toThrow("read-only");
	expect(await stored(one)).toEqual(["a"]);
});

test("large numbers stay numbers while they are exact", async ({ database, server }) => {
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

test("one of two transactions that wait for each other is rolled back and repeated, and no command is refused", async ({
	database,
}) => {
	const log = new MemoryLogger();
	const [one, other] = [await open(database, log), await open(database, log)];
	await add(one, "a");
	await add(one, "b");
	const bothLocked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	let ran = 0;
	const cross = (store: ContractStore, ids: readonly [string, string], turn: 0 | 1) =>
		store.commit(async (tx) => {
			ran += 1;
			await touch(tx, ids[0]);
			bothLocked[turn]?.resolve();
			await Promise.all(bothLocked.map(({ promise }) => promise));
			await touch(tx, ids[1]);
		});
	const before = add(one, "with the first");
	await Promise.all([
		cross(one, ["a", "b"], 0),
		before,
		cross(other, ["b", "a"], 1),
		add(other, "with the other"),
	]);
	expect(ran).toBeGreaterThan(2);
	const rows = await one.read((db) => db.selectFrom("items").select(["id", "n"]).orderBy("id").execute());
	expect(rows).toEqual([
		{ id: "a", n: 2 },
		{ id: "b", n: 2 },
		{ id: "with the first", n: 0 },
		{ id: "with the other", n: 0 },
	]);
	expect(log.records[0]).toMatchObject({
		message: "the database rolled back a transaction, which is retried",
		fields: { nextTry: 2, error: { cause: { code: "40P01" } } },
	});
	for (const store of [one, other]) expect(store.health()).toEqual({ state: "ok" });
});

test.for(["statement", "commit"])(
	"a transaction is repeated after a %s reports a serialization failure",
	async (role, { database, server }) => {
		const store = await open(database);
		const deferred = role === "commit" ? "constraint trigger refusal after" : "trigger refusal before";
		await server.query(
			`create sequence refusals;
		create function refuse() returns trigger language plpgsql
			as $$ begin if nextval('refusals') < 3 then
				raise exception 'not yet' using errcode = 'serialization_failure'; end if; return new; end $$;
		create ${deferred} insert on items ${role === "commit" ? "deferrable initially deferred" : ""}
			for each row when (new.state = 'odd') execute function refuse()`,
			database,
		);
		await Promise.all([add(store, "a"), add(store, "b", "odd"), add(store, "c")]);
		expect(await stored(store)).toEqual(["a", "b", "c"]);
		expect(await server.query("select last_value from refusals", database)).toBe("3");
	},
);

test("a transaction that can never be serialized fails with all its commands", async ({
	database,
	server,
}) => {
	const log = new MemoryLogger();
	const store = await open(database, log);
	await server.query(
		`create function refuse() returns trigger language plpgsql
			as $$ begin raise exception 'not today' using errcode = 'serialization_failure'; end $$;
		create trigger refusal before insert on items for each row when (new.state = 'odd') execute function refuse()`,
		database,
	);
	const results = await Promise.allSettled([add(store, "a"), add(store, "b", "odd"), add(store, "c")]);
	expect(results).toMatchObject(results.map(() => ({ status: "rejected", reason: unavailable })));
	expect(log.records).toHaveLength(9);
	expect(await stored(store)).toEqual([]);
	await add(store, "d");
	expect(await stored(store)).toEqual(["d"]);
	expect(store.health()).toEqual({ state: "ok" });
});

test("an idle transaction is ended for the transactions that wait for it", async ({ database }) => {
	const [still, other] = [
		await open(`${database}&idle_in_transaction_session_timeout=200`),
		await open(database),
	];
	await add(still, "a");
	const locked = Promise.withResolvers<void>();
	const proceed = Promise.withResolvers<void>();
	const pending = still.commit(async (tx) => {
		await touch(tx, "a");
		locked.resolve();
		await proceed.promise;
		await touch(tx, "a");
	});
	await locked.promise;
	await other.commit((tx) => touch(tx, "a"));
	proceed.resolve();
	await expect(pending).rejects.toMatchObject(unavailable);
	await still.commit((tx) => touch(tx, "a"));
	const rows = await still.read((db) => db.selectFrom("items").select("n").execute());
	expect(rows).toEqual([{ n: 2 }]);
});

test("a command that continues after a refused statement rejects", async ({ database }) => {
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
	"a connection that is lost in a transaction %s leaves no change, and the next one works",
	async (role, { database, server }) => {
		const store = await open(database);
		const lost = store.commit(async (tx) => {
			await insert(tx, "a");
			await server.disconnect(database);
			if (role === "and a query finds out") await insert(tx, "b");
		});
		const follower = add(store, "with it");
		await expect(lost).rejects.toMatchObject(unavailable);
		await expect(follower).rejects.toMatchObject(unavailable);
		await add(store, "c");
		expect(await stored(store)).toEqual(["c"]);
	},
);

test("requests fail as unavailable while the server is down, and work afterwards", async ({
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
