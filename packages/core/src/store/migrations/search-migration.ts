import type { Engine } from "@parley/base";
import { type Kysely, sql } from "kysely";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import { fromRow } from "../journal.ts";
import { indexMessages, indexName } from "../search-texts.ts";
import type { Tables } from "../tables.ts";

/** Maximum messages that a query reads. The number is small because one message can be larger than a megabyte. */
const pageSize = 200;

/**
 * Creates the table of search texts with its indexes, and adds the texts of all existing sessions. On SQLite, triggers
 * update the full-text index when the table changes.
 */
export async function createSearch(db: Kysely<unknown>, engine: Engine): Promise<void> {
	await db.schema
		.createTable("search_texts")
		.addColumn("id", engine === "sqlite" ? "integer" : "bigserial", (column) => {
			return engine === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey();
		})
		.addColumn("epoch", "bigint", (column) => column.notNull())
		.addColumn("v", "integer", (column) => column.notNull())
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("kind", "text", (column) => column.notNull())
		.addColumn("text", "text", (column) => column.notNull())
		.execute();
	await db.schema
		.createIndex("search_texts_session")
		.on("search_texts")
		.columns(["session_id", "kind"])
		.execute();
	if (engine === "sqlite") await createIndex(db);
	// The cast is safe because all tables that `indexAll` reads and writes exist now.
	await indexAll(db as Kysely<Tables>);
}

/**
 * Changes the trigger so that SQLite indexes texts in groups of 64. A flush of the index takes the same time for one
 * text and for 64 texts. A search compares texts directly if they are not indexed yet.
 */
export async function indexInGroups(db: Kysely<unknown>): Promise<void> {
	await sql`drop trigger search_texts_added`.execute(db);
	await sql`create trigger search_texts_added after insert on search_texts when new.id % 64 = 0 begin
		insert into search_index (rowid, text) select id, text from search_texts
			where id > coalesce((select rowid from search_index order by rowid desc limit 1), 0); end`.execute(db);
}

/**
 * Creates the full-text index and its triggers. The index stores no copy of the texts, because `search_texts` contains
 * the texts: https://www.sqlite.org/fts5.html#contentless_delete_tables
 */
async function createIndex(db: Kysely<unknown>): Promise<void> {
	await sql`create virtual table search_index
		using fts5(text, content = '', contentless_delete = 1, tokenize = 'trigram')`.execute(db);
	await sql`create trigger search_texts_added after insert on search_texts begin
		insert into search_index (rowid, text) values (new.id, new.text); end`.execute(db);
	await sql`create trigger search_texts_removed after delete on search_texts begin
		delete from search_index where rowid = old.id; end`.execute(db);
}

async function indexAll(db: Kysely<Tables>): Promise<void> {
	const sessions = await db.selectFrom("sessions").select(["id", "title", "external_key"]).execute();
	for (const { id, title, external_key } of sessions) await indexName(db, id, [title, external_key]);
	for (let after = 0; ; ) {
		const page = await db
			.selectFrom("events")
			.select(["position", "session_id", "data"])
			.where("type", "in", ["user.message", "assistant.message"])
			.where("position", ">", after)
			.orderBy("position")
			.limit(pageSize)
			.execute();
		for (const { session_id, data } of page) {
			const event = fromRow<RecordedEvent>(data);
			if ("content" in event) await indexMessages(db, session_id, [event.content]);
		}
		const last = page.at(-1);
		if (!last) return;
		after = Number(last.position);
	}
}
