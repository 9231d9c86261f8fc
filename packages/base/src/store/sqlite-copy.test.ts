import { mkdtempDisposable, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ContractTables, contractMigration } from "../testing/store-contract.ts";
import { readMigrationNames } from "./migrate.ts";
import { checkSqliteFile, copySqliteFile } from "./sqlite-file.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const migrations = [contractMigration];

async function inDirectory(work: (at: (name: string) => string) => Promise<void>): Promise<void> {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-copy-"));
	await work((name) => join(directory.path, name));
}

test("a copy contains all commits before it, while other processes continue to write", () =>
	inDirectory(async (at) => {
		const store = await openSqliteStore<ContractTables>({ file: at("a.sqlite"), migrations });
		const insert = (id: string): Promise<unknown> =>
			store.commit((tx) => tx.insertInto("items").values({ id, state: "", n: 0 }).execute());
		await insert("before");
		let writing = true;
		const others = (async () => {
			for (let n = 0; writing; n++) await insert(`after ${n}`);
		})();
		const ids = await copySqliteFile<ContractTables, string[]>(at("a.sqlite"), at("b.sqlite"), async (db) => {
			expect(await readMigrationNames(db)).toEqual(["0001-contract"]);
			const rows = await db.selectFrom("items").select("id").orderBy("position").execute();
			return rows.map(({ id }) => id);
		});
		writing = false;
		await others;
		expect(ids[0]).toBe("before");
		expect((await stat(at("b.sqlite"))).mode & 0o777).toBe(0o600);
		expect((await readdir(at("."))).filter((name) => name.startsWith("b"))).toEqual(["b.sqlite"]);
		await store.close();
		await checkSqliteFile(at("b.sqlite"), migrations);
	}));

test("data in the log of a killed writer is in the copy", () =>
	inDirectory(async (at) => {
		const store = await openSqliteStore<ContractTables>({ file: at("a.sqlite"), migrations });
		await store.commit((tx) => tx.insertInto("items").values({ id: "x", state: "", n: 0 }).execute());
		expect((await stat(at("a.sqlite-wal"))).size).toBeGreaterThan(0);
		const count = await copySqliteFile<ContractTables, number>(
			at("a.sqlite"),
			at("b.sqlite"),
			async (db) => (await db.selectFrom("items").select("id").execute()).length,
		);
		expect(count).toBe(1);
		await store.close();
	}));

test("a copy that cannot be finished leaves nothing", () =>
	inDirectory(async (at) => {
		const store = await openSqliteStore<ContractTables>({ file: at("a.sqlite"), migrations });
		const state = "x".repeat(100_000);
		await store.commit((tx) => tx.insertInto("items").values({ id: "x", state, n: 0 }).execute());
		await store.close();
		const full = await readFile(at("a.sqlite"));
		// The damage is only in pages with the content of the row, not in the header or the schema.
		await writeFile(at("a.sqlite"), full.fill(0xff, full.length - 40_000));
		const copying = copySqliteFile(at("a.sqlite"), at("b.sqlite"), async () => 0);
		await expect(copying).rejects.toMatchObject({ code: "ERR_SQLITE_ERROR" });
		expect(await readdir(at("."))).not.toContain("b.sqlite.part");
		expect(await readdir(at("."))).not.toContain("b.sqlite");
	}));

test("each kind of unreadable file has its own error", () =>
	inDirectory(async (at) => {
		const target = at("copy.sqlite");
		await expect(copySqliteFile(at("none.sqlite"), target, async () => 0)).rejects.toMatchObject({
			code: "not_found",
		});
		await writeFile(at("empty.sqlite"), "");
		await expect(copySqliteFile(at("empty.sqlite"), target, async () => 0)).rejects.toMatchObject({
			code: "not_found",
			message: expect.stringContaining("it does not exist, is not accessible, or is empty"),
		});
		const store = await openSqliteStore<ContractTables>({ file: at("a.sqlite"), migrations });
		await store.close();
		await expect(checkSqliteFile(at("a.sqlite"), [])).rejects.toMatchObject({
			code: "failed_precondition",
			message: expect.stringContaining("a newer version of Parley"),
		});
		await truncate(at("a.sqlite"), 6_000);
		await expect(checkSqliteFile(at("a.sqlite"), migrations)).rejects.toMatchObject({ code: "data_loss" });
		await rm(at("a.sqlite"));
	}));
