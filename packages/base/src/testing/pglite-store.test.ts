import { sql } from "kysely";
import { expect, test } from "vitest";
import { contractMigration } from "./index.ts";
import { openPgliteStore } from "./pglite-store.ts";

const migrations = [contractMigration];

test("a store has no data of a store that was closed before", async () => {
	const first = await openPgliteStore({ migrations });
	await first.commit(async (tx) => {
		await sql`create table other (id text)`.execute(tx);
		await sql`insert into items (id, state, n) values ('a', 'open', 0)`.execute(tx);
		await sql`set search_path to pg_catalog`.execute(tx);
	});
	await first.close();
	const second = await openPgliteStore({ migrations });
	const { rows: tables } = await second.read((db) =>
		sql`select to_regclass('public.other') as other, (select count(*) from items) as items`.execute(db),
	);
	expect(tables).toEqual([{ other: null, items: 0 }]);
	await second.commit((tx) => sql`insert into items (id, state, n) values ('b', 'open', 0)`.execute(tx));
	const { rows } = await second.read((db) => sql`select position from items`.execute(db));
	expect(rows).toEqual([{ position: 1 }]);
	await second.close();
});

test("stores that are open at the same time have separate databases", async () => {
	const [one, other] = await Promise.all([openPgliteStore({ migrations }), openPgliteStore({ migrations })]);
	await one.commit((tx) => sql`insert into items (id, state, n) values ('a', 'open', 0)`.execute(tx));
	const { rows } = await other.read((db) => sql`select count(*) as items from items`.execute(db));
	expect(rows).toEqual([{ items: 0 }]);
	await Promise.all([one.close(), other.close()]);
});
