import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type Migration,
	openSqliteStore,
	readMigrationNames,
	type SqliteStoreOptions,
	type Store,
} from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import type { Tables } from "../tables.ts";
import { freshSchema } from "./fresh-schema.ts";
import { migrations } from "./migrations.ts";

const directory = await mkdtemp(join(tmpdir(), "parley-fresh-"));
afterAll(() => rm(directory, { recursive: true }));
const file = (name: string): string => join(directory, `${name}.sqlite`);

interface SchemaObject {
	readonly type: string;
	readonly name: string;
	readonly tbl_name: string;
	readonly sql: string | null;
}

async function opened<T>(
	options: Omit<SqliteStoreOptions, "migrations">,
	action: (store: Store<Tables>) => Promise<T>,
): Promise<T> {
	const store = await openSqliteStore<Tables>({ ...options, migrations });
	try {
		return await action(store);
	} finally {
		await store.close();
	}
}

async function rowsOf<T>(store: Store<Tables>, query: string): Promise<T[]> {
	return (await store.read((db) => sql.raw<T>(query).execute(db))).rows;
}

function schemaObjects(store: Store<Tables>): Promise<SchemaObject[]> {
	return rowsOf<SchemaObject>(store, "select type, name, tbl_name, sql from sqlite_schema order by rowid");
}

/** Returns the shadow tables that SQLite creates for virtual tables. */
async function automaticTables(store: Store<Tables>): Promise<string[]> {
	const tables = await rowsOf<{ name: string }>(
		store,
		"select name from pragma_table_list where type = 'shadow'",
	);
	return tables.map(({ name }) => name);
}

/** Returns the schema and all rows, without the times of migrations. */
async function contentOf(store: Store<Tables>): Promise<object> {
	const objects = await schemaObjects(store);
	const tables = objects.filter(({ type }) => type === "table").map(({ name }) => name);
	const filled: [string, unknown[]][] = [];
	for (const name of tables) {
		const rows = await rowsOf<object>(store, `select * from "${name}"`);
		filled.push([name, rows.map((row) => ("timestamp" in row ? { ...row, timestamp: "" } : row))]);
	}
	const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1);
	return { objects: objects.toSorted(byName), filled: Object.fromEntries(filled) };
}

function sourceOf(objects: readonly SchemaObject[], automatic: readonly string[]): string {
	const statements = objects
		.filter(({ name }) => !name.startsWith("sqlite_") && !automatic.includes(name))
		.map(({ sql: text }) => `${(text ?? "").replaceAll(/[\\`]|\$\{/g, "\\$&")};\n`);
	const names = migrations.map(({ name }) => `\t\t${JSON.stringify(name)},\n`);
	return [
		"// biome-ignore-all format: written by `vitest run packages/core/src/store/migrations/fresh-schema.test.ts -u`\n",
		'import type { FreshSchema } from "@parley/base";\n\n',
		"/** Schema that the migrations create in an empty SQLite database. */\n",
		"export const freshSchema: FreshSchema = {\n",
		...["\tmigrations: [\n", ...names, "\t],\n"],
		...["\tschema: `\n", ...statements, "`,\n};\n"],
	].join("");
}

test("the stored schema of an empty database equals the result of the migrations", async () => {
	const source = await opened({ file: file("source") }, async (store) =>
		sourceOf(await schemaObjects(store), await automaticTables(store)),
	);
	await expect(source).toMatchFileSnapshot("./fresh-schema.ts");
});

test.each(["in a file", "in memory"])(
	"an empty database %s is migrated to the current schema",
	async (where) => {
		const target = where === "in memory" ? ":memory:" : file("fresh");
		const expected = await opened({ file: file(`migrated ${where}`) }, contentOf);
		expect(await opened({ file: target, fresh: freshSchema }, contentOf)).toEqual(expected);
	},
);

test("a database of an earlier schema runs the missing migrations", async () => {
	const earlier = await openSqliteStore({ file: file("earlier"), migrations: migrations.slice(0, 2) });
	await earlier.close();
	const expected = await opened({ file: file("expected") }, contentOf);
	expect(await opened({ file: file("earlier"), fresh: freshSchema }, contentOf)).toEqual(expected);
});

test("a database made before a new migration gets this migration, too", async () => {
	const later: Migration = {
		name: "9999-later",
		up: async (db) => void (await sql`create table later (id text)`.execute(db)),
	};
	const clock = new ManualClock(86_400_000);
	const store = await openSqliteStore<Tables>({
		file: ":memory:",
		fresh: freshSchema,
		clock,
		migrations: [...migrations, later],
	});
	expect(await store.read(readMigrationNames)).toEqual([...freshSchema.migrations, "9999-later"]);
	expect(await rowsOf(store, "select * from later")).toEqual([]);
	const [first] = await rowsOf<object>(store, "select timestamp from kysely_migration order by name");
	expect(first).toEqual({ timestamp: "1970-01-02T00:00:00.000Z" });
	await store.close();
});
