import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { ManualClock } from "../testing/index.ts";
import { type FreshSchema, readMigrationNames } from "./migrate.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import type { Migration } from "./store.ts";

const directory = mkdtempSync(join(tmpdir(), "fresh-"));
afterAll(() => rmSync(directory, { recursive: true }));
const file = (name: string): string => join(directory, `${name}.db`);

interface Tables {
	things: { name: string };
}

const ran: string[] = [];
const migrationOf = (name: string, text: string): Migration => ({
	name,
	async up(db) {
		ran.push(name);
		await sql.raw(text).execute(db);
	},
});
const first = migrationOf("0001-first", "create table things (name text)");
const second = migrationOf("0002-second", "create table others (name text)");
const fresh: FreshSchema = {
	migrations: ["0001-first"],
	schema: `
create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null);
create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null);
create table things (name text);
`,
};

test("an empty database is created at once, and runs later migrations", async () => {
	ran.length = 0;
	const clock = new ManualClock(0);
	for (const migrations of [[first], [first, second]]) {
		const store = await openSqliteStore<Tables>({ file: ":memory:", migrations, fresh, clock });
		expect(await store.read(readMigrationNames)).toEqual(migrations.map(({ name }) => name));
		await store.commit((tx) => tx.insertInto("things").values({ name: "a" }).execute());
		await store.close();
	}
	expect(ran).toEqual(["0002-second"]);
});

test("a database created from the schema opens like any other and is migrated with a copy", async () => {
	ran.length = 0;
	const target = file("again");
	const options = { file: target, fresh };
	const store = await openSqliteStore<Tables>({ ...options, migrations: [first] });
	await store.commit((tx) => tx.insertInto("things").values({ name: "kept" }).execute());
	await store.close();
	const again = await openSqliteStore<Tables>({ ...options, migrations: [first, second] });
	const rows = await again.read((db) => db.selectFrom("things").selectAll().execute());
	expect(rows).toEqual([{ name: "kept" }]);
	await again.close();
	expect(ran).toEqual(["0002-second"]);
	expect(readdirSync(directory)).toContain("again.db.before-0002-second");
});

test("a database with content runs its migrations one by one", async () => {
	ran.length = 0;
	const target = file("old");
	await (await openSqliteStore({ file: target, migrations: [second] })).close();
	await (
		await openSqliteStore({ file: target, migrations: [second, { ...first, name: "0003-third" }], fresh })
	).close();
	expect(ran).toEqual(["0002-second", "0001-first"]);
});

test("an invalid schema leaves an empty database, which the next start can use", async () => {
	const target = file("broken");
	const broken = { ...fresh, schema: `${fresh.schema}create table things (again text);` };
	const opened = openSqliteStore({ file: target, migrations: [first], fresh: broken });
	await expect(opened).rejects.toMatchObject({
		code: "unavailable",
		message: expect.stringMatching(/things/),
	});
	const store = await openSqliteStore<Tables>({ file: target, migrations: [first], fresh });
	expect(await store.read((db) => db.selectFrom("things").selectAll().execute())).toEqual([]);
	await store.close();
});

test("two processes that open an empty file at the same time create the database once", async () => {
	const options = { file: file("both"), migrations: [first], fresh };
	const stores = await Promise.all([openSqliteStore<Tables>(options), openSqliteStore<Tables>(options)]);
	for (const store of stores) {
		await store.commit((tx) => tx.insertInto("things").values({ name: "a" }).execute());
		expect(await store.read(readMigrationNames)).toEqual(["0001-first"]);
	}
	for (const store of stores) await store.close();
});
