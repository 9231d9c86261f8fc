import type { Engine } from "@parley/base";
import { type Kysely, sql } from "kysely";
import { stampColumns, withColumns } from "../columns.ts";

/**
 * Adds memories with their full-text index: FTS5 with trigrams on SQLite, a `tsvector` of trigrams on PostgreSQL. Both
 * find a piece of text anywhere in a word, which languages without spaces need.
 */
export async function createMemories(db: Kysely<unknown>, engine: Engine): Promise<void> {
	const keyed = db.schema
		.createTable("memories")
		.addColumn("n", engine === "sqlite" ? "integer" : "bigserial", (column) => {
			return engine === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey();
		});
	await withColumns(keyed, [
		["id", "text"],
		["scope", "text"],
		["subject", "text"],
		["author", "text"],
		["session_id?", "text"],
		["taint", "text"],
		["text", "text"],
		["tags", "text"],
		["search_text", "text"],
		["created_at", "bigint"],
		...stampColumns,
	])
		.addUniqueConstraint("memories_id", ["id"])
		.execute();
	await db.schema.createIndex("memories_subject").on("memories").columns(["scope", "subject"]).execute();
	await db.schema.createIndex("memories_author").on("memories").column("author").execute();
	if (engine === "sqlite") await createSqliteIndex(db);
	else await createPostgresIndex(db);
}

/** Holds no text, which is in the table: https://www.sqlite.org/fts5.html#contentless_delete_tables */
async function createSqliteIndex(db: Kysely<unknown>): Promise<void> {
	await sql`create virtual table memory_index
		using fts5(text, content = '', contentless_delete = 1, tokenize = 'trigram')`.execute(db);
	await sql`create trigger memories_added after insert on memories begin
		insert into memory_index (rowid, text) values (new.n, new.search_text); end`.execute(db);
	await sql`create trigger memories_removed after delete on memories begin
		delete from memory_index where rowid = old.n; end`.execute(db);
}

/** In a table of its own, so that both engines have the same columns in `memories`. */
async function createPostgresIndex(db: Kysely<unknown>): Promise<void> {
	await sql`create table memory_index (
		n bigint primary key references memories (n) on delete cascade, grams tsvector not null)`.execute(db);
	await sql`create index memory_index_grams on memory_index using gin (grams)`.execute(db);
}
