import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { type ContractTables, contractMigration } from "../testing/index.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import type { Migration, Store } from "./store.ts";

const directory = mkdtempSync(join(tmpdir(), "memory-"));
afterAll(() => rmSync(directory, { recursive: true }));

const open = (...more: readonly Migration[]) =>
	openSqliteStore<ContractTables>({ file: ":memory:", migrations: [contractMigration, ...more] });

const add = (store: Store<ContractTables>, id: string, length = 0) =>
	store.commit((tx) =>
		tx
			.insertInto("items")
			.values({ id: id + "x".repeat(length), state: "open", n: 0 })
			.execute(),
	);

const count = async (store: Store<ContractTables>): Promise<number> => {
	const query = sql<{ n: number }>`select count(*) as n from items`;
	return Number((await store.read((db) => query.execute(db))).rows[0]?.n);
};

function openFiles(): string[] {
	const files = readdirSync("/proc/self/fd").map((fd) => {
		try {
			return readlinkSync(`/proc/self/fd/${fd}`);
		} catch {
			// The descriptor of the directory itself is already closed.
			return "";
		}
	});
	return files.filter((file) => file.startsWith("/") && !file.startsWith("/dev/"));
}

test.runIf(process.platform === "linux")(
	"an in-memory database of any size writes nothing to disk",
	async () => {
		const [before, working] = [openFiles(), process.cwd()];
		process.chdir(directory);
		try {
			const store = await open();
			// The data is larger than the page cache. In a file, SQLite would write a part of it before the commit.
			await Promise.all(Array.from({ length: 40 }, (_, index) => add(store, `${index}`, 100_000)));
			expect(openFiles().filter((file) => !before.includes(file))).toEqual([]);
			expect(readdirSync(".")).toEqual([]);
			expect(await count(store)).toBe(40);
			await store.close();
			expect(readdirSync(".")).toEqual([]);
		} finally {
			process.chdir(working);
		}
	},
);

test("each in-memory database is separate and ends when it is closed", async () => {
	const [one, other] = [await open(), await open()];
	await add(one, "a");
	expect([await count(one), await count(other)]).toEqual([1, 0]);
	await one.close();
	await add(other, "a");
	await other.close();
	const next = await open();
	expect(await count(next)).toBe(0);
	await next.close();
});

test("a read-only query cannot write", async () => {
	const store = await open();
	const written = store.read((db) =>
		sql`insert into items (id, state, n) values ('a', 'open', 0)`.execute(db),
	);
	await expect(written).rejects.toThrow(/readonly/);
	expect(await count(store)).toBe(0);
	await store.close();
});

test("a read during a large open transaction sees only committed data", async () => {
	const store = await open();
	await add(store, "first");
	const seen: Promise<number>[] = [];
	const many = store.commit(async (tx) => {
		for (let index = 0; index < 50; index++) {
			const id = `${index}${"x".repeat(100_000)}`;
			await tx.insertInto("items").values({ id, state: "open", n: 0 }).execute();
			// Lets other tasks of the process run while the transaction is open.
			if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
			seen.push(count(store));
		}
	});
	const refused = store.commit(async (tx) => {
		await tx.deleteFrom("items").execute();
		seen.push(count(store));
		throw new Error("no");
	});
	await many;
	await expect(refused).rejects.toThrow("no");
	expect(new Set(await Promise.all(seen))).toEqual(new Set([51]));
	await store.close();
});

test("foreign keys are enforced, but not while migrations run", async () => {
	const orphan: Migration = {
		name: "0002-orphan",
		up: async (db) => void (await sql`insert into parts (item) values ('nobody')`.execute(db)),
	};
	const store = await open(orphan);
	const inserted = store.commit((tx) => tx.insertInto("parts").values({ item: "nobody" }).execute());
	await expect(inserted).rejects.toMatchObject({ code: "unavailable" });
	await store.close();
});

test("a migration that fails is reported and leaves nothing open", async () => {
	const faulty: Migration = { name: "0002-faulty", up: () => Promise.reject(new Error("no")) };
	await expect(open(faulty)).rejects.toMatchObject({
		code: "internal",
		message: expect.stringContaining("0002-faulty"),
	});
});
