import {
	copyFileSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { defined } from "../defined.ts";
import type { Failpoints } from "../failpoints.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import type { Migration, Store } from "./store.ts";

interface Tables {
	notes: { id: number; text: string };
}

let directory: string;
let file: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "store-"));
	file = join(directory, "data", "parley.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

const createNotes: Migration = {
	name: "0001-notes",
	async up(db) {
		await sql`create table notes (id integer primary key, text text not null)`.execute(db);
	},
};
const addAuthor: Migration = {
	name: "0002-author",
	async up(db) {
		await sql`alter table notes add column author text`.execute(db);
	},
};

function open(migrations: readonly Migration[] = [createNotes], failpoints?: Failpoints) {
	return openSqliteStore<Tables>({ file, migrations, ...defined({ failpoints }) });
}

async function write(store: Store<Tables>, text: string): Promise<void> {
	await store.commit((tx) => tx.insertInto("notes").values({ id: 1, text }).execute());
}

async function texts(store: Store<Tables>): Promise<string[]> {
	const rows = await store.read((db) => db.selectFrom("notes").select("text").execute());
	return rows.map((row) => row.text);
}

/** Copies the database files in their present state, as if the process had crashed now. */
function crashCopy(name: string): string {
	const copy = join(directory, name);
	for (const suffix of ["", "-wal"]) {
		if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
	}
	return copy;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("committed data survives reopening", async () => {
	const first = await open();
	await write(first, "kept");
	await first.close();
	const second = await open();
	expect(await texts(second)).toEqual(["kept"]);
	await second.close();
	expect(readdirSync(join(directory, "data"))).toEqual(["parley.db"]);
});

test("only the owner can access the files, even if others had access before", async () => {
	await (await open()).close();
	writeFileSync(file, readFileSync(file), { mode: 0o644 });
	const store = await open();
	await write(store, "private");
	expect([join(directory, "data"), file, `${file}-wal`].map(modeOf)).toEqual(["700", "600", "600"]);
	await store.close();
});

test("commits are synced to disk, and foreign keys are enforced", async () => {
	const store = await open();
	const settings = await store.commit(async (tx) => {
		const read = async (name: string) =>
			Object.values(
				(await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(tx)).rows[0] ?? {},
			)[0];
		return [await read("journal_mode"), await read("synchronous"), await read("foreign_keys")];
	});
	expect(settings).toEqual(["wal", 2, 1]);
	await store.close();
});

test("a read does not wait for a running command", async () => {
	const store = await open();
	await write(store, "before");
	const seen = await store.commit(async (tx) => {
		await tx.updateTable("notes").set({ text: "after" }).execute();
		return texts(store);
	});
	expect(seen).toEqual(["before"]);
	expect(await texts(store)).toEqual(["after"]);
	await store.close();
});

test("a read cannot write", async () => {
	const store = await open();
	const writing = store.read((db) => db.insertInto("notes").values({ id: 1, text: "x" }).execute());
	await expect(writing).rejects.toThrow("readonly");
	await store.close();
});

test("closing waits for reads that have started", async () => {
	const store = await open();
	await write(store, "text");
	const reading = store.read(async (db) => {
		await new Promise((resolve) => setImmediate(resolve));
		return db.selectFrom("notes").select("text").execute();
	});
	await store.close();
	expect(await reading).toEqual([{ text: "text" }]);
});

test("a crash before the commit loses the command, a crash after it does not", async () => {
	const copies: string[] = [];
	const store = await open([createNotes], { reach: (name) => void copies.push(crashCopy(name)) });
	await write(store, "text");
	await store.close();
	const found = [];
	for (const copy of copies) {
		const recovered = await openSqliteStore<Tables>({ file: copy, migrations: [createNotes] });
		found.push([copy.slice(directory.length + 1), await texts(recovered)]);
		await recovered.close();
	}
	expect(found).toEqual([
		["store.commit", []],
		["store.committed", ["text"]],
	]);
});

test("a migrated database keeps its data, and a private copy of the old one stays in its directory", async () => {
	const before = await open();
	await write(before, "old");
	await before.close();
	writeFileSync(`${file}.before-0002-author`, "an earlier copy");
	const after = await open([createNotes, addAuthor]);
	expect(await after.read((db) => db.selectFrom("notes").selectAll().execute())).toEqual([
		{ id: 1, text: "old", author: null },
	]);
	await after.close();

	expect(readdirSync(join(directory, "data")).sort()).toEqual(["parley.db", "parley.db.before-0002-author"]);
	expect(modeOf(`${file}.before-0002-author`)).toBe("600");
	file = `${file}.before-0002-author`;
	const copy = await open();
	expect(await copy.read((db) => db.selectFrom("notes").selectAll().execute())).toEqual([
		{ id: 1, text: "old" },
	]);
	await copy.close();
});

test("a crash in the middle of a migration leaves the old schema, and the next start completes it", async () => {
	const before = await open();
	await write(before, "old");
	await before.close();
	let copy = "";
	const crashing: Migration = {
		name: "0003-crash",
		async up(db) {
			await sql`update notes set text = 'changed'`.execute(db);
			copy = crashCopy("crashed");
		},
	};
	await (await open([createNotes, addAuthor, crashing])).close();

	const old = await openSqliteStore<Tables>({ file: copy, migrations: [createNotes] });
	expect(await old.read((db) => db.selectFrom("notes").selectAll().execute())).toEqual([
		{ id: 1, text: "old" },
	]);
	await old.close();
	const completed = await openSqliteStore<Tables>({ file: copy, migrations: [createNotes, addAuthor] });
	expect(await completed.read((db) => db.selectFrom("notes").selectAll().execute())).toEqual([
		{ id: 1, text: "old", author: null },
	]);
	await completed.close();
});

test("a failed migration is named and changes nothing", async () => {
	const before = await open();
	await write(before, "old");
	await before.close();
	const failing: Migration = {
		name: "0003-broken",
		async up(db) {
			await sql`create table half (id integer)`.execute(db);
			await sql`this is not sql`.execute(db);
		},
	};
	await expect(open([createNotes, addAuthor, failing])).rejects.toMatchObject({
		code: "internal",
		message:
			'migration 0003-broken failed (near "this": syntax error), and the data is unchanged: correct the cause and start again',
	});
	const store = await open();
	expect(await texts(store)).toEqual(["old"]);
	await store.close();
});

test("a migration can rebuild a table that others refer to", async () => {
	const createLinks: Migration = {
		name: "0002-links",
		async up(db) {
			await sql`create table links (note integer references notes (id) on delete cascade)`.execute(db);
			await sql`insert into notes values (1, 'linked')`.execute(db);
			await sql`insert into links values (1)`.execute(db);
		},
	};
	await (await open([createNotes, createLinks])).close();
	const rebuildNotes: Migration = {
		name: "0003-rebuild",
		async up(db) {
			await sql`create table rebuilt (id integer primary key, text text)`.execute(db);
			await sql`insert into rebuilt select id, text from notes`.execute(db);
			await sql`drop table notes`.execute(db);
			await sql`alter table rebuilt rename to notes`.execute(db);
		},
	};
	const store = await open([createNotes, createLinks, rebuildNotes]);
	const { rows } = await store.read((db) => sql`select note from links`.execute(db));
	expect(rows).toEqual([{ note: 1 }]);
	await store.close();
});

test("a database of a newer version is refused and not changed, not even to recover it after a crash", async () => {
	const newer = await open([createNotes, addAuthor]);
	await write(newer, "text");
	const copy = crashCopy("crashed");
	await newer.close();
	const contents = () => ["", "-wal"].map((suffix) => readFileSync(copy + suffix).toString("hex"));
	const before = contents();
	expect(before[1]).not.toBe("");
	await expect(openSqliteStore({ file: copy, migrations: [createNotes] })).rejects.toMatchObject({
		code: "failed_precondition",
		message:
			"a newer version of Parley wrote the database (newest migration: 0002-author; this program knows migrations up to 0001-notes): " +
			"upgrade the program or restore a backup",
	});
	expect(contents()).toEqual(before);
});

test("migrations of the same name are refused", async () => {
	await expect(open([createNotes, createNotes])).rejects.toThrow("two migrations have the name ");
});

test.each([
	["no database", () => Buffer.from("this is a letter, not a database. ".repeat(200))],
	[
		"overwritten",
		() => {
			const content = readFileSync(file);
			return content.fill("damage", 4096, 4096 + 2000);
		},
	],
	["cut off", () => readFileSync(file).subarray(0, 5000)],
])("a file that is %s is refused as damaged and left unchanged", async (_how, damage) => {
	const store = await open();
	const rows = Array.from({ length: 50 }, (_, id) => ({ id, text: "x".repeat(500) }));
	await store.commit((tx) => tx.insertInto("notes").values(rows).execute());
	await store.close();
	const damaged = damage();
	writeFileSync(file, damaged);
	await expect(open()).rejects.toMatchObject({
		code: "data_loss",
		message: expect.stringMatching(/is damaged and was not changed: .* restore a backup/),
	});
	expect(readFileSync(file).equals(damaged)).toBe(true);
});

test("a large file is checked completely before a migration, but not at each start", async () => {
	const store = await open();
	const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, text: "x".repeat(2_000) }));
	await store.commit((tx) => tx.insertInto("notes").values(rows).execute());
	await store.close();
	const content = readFileSync(file);
	writeFileSync(file, content.fill("damage", content.length - 4096));
	const again = await open();
	await again.close();
	const later: Migration = { name: "0002-later", up: async () => undefined };
	await expect(open([createNotes, later])).rejects.toMatchObject({ code: "data_loss" });
});

test("the error names a file that cannot be opened", async () => {
	writeFileSync(join(directory, "data"), "a file where a directory should be");
	await expect(open()).rejects.toMatchObject({
		code: "unavailable",
		message: expect.stringContaining(`cannot open the database ${file}: `),
	});
});
