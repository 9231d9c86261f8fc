import type { Engine } from "@parley/base";
import { type Kysely, sql } from "kysely";
import { type Column, createTable, stampColumns, withColumns } from "../columns.ts";

/**
 * Creates the table of memories with its full-text index: FTS5 with trigrams on SQLite, a `tsvector` of trigrams on
 * PostgreSQL. Both indexes find text anywhere in a word, because some languages have no spaces.
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

/**
 * Creates the full-text index and its triggers. The index stores no copy of the text, because `memories` contains the
 * text: https://www.sqlite.org/fts5.html#contentless_delete_tables
 */
async function createSqliteIndex(db: Kysely<unknown>): Promise<void> {
	await sql`create virtual table memory_index
		using fts5(text, content = '', contentless_delete = 1, tokenize = 'trigram')`.execute(db);
	await sql`create trigger memories_added after insert on memories begin
		insert into memory_index (rowid, text) values (new.n, new.search_text); end`.execute(db);
	await sql`create trigger memories_removed after delete on memories begin
		delete from memory_index where rowid = old.n; end`.execute(db);
}

/**
 * Creates the full-text index in a separate table, so that `memories` has the same columns on SQLite and PostgreSQL.
 */
async function createPostgresIndex(db: Kysely<unknown>): Promise<void> {
	await sql`create table memory_index (
		n bigint primary key references memories (n) on delete cascade, grams tsvector not null)`.execute(db);
	await sql`create index memory_index_grams on memory_index using gin (grams)`.execute(db);
}

/** Creates the table of schedules: messages that are sent to a session at given times or on events. */
export async function createSchedules(db: Kysely<unknown>): Promise<void> {
	await createTable(
		db,
		"schedules",
		["id", "text"],
		[
			["session_id", "text"],
			["external_key?", "text"],
			["owner", "text"],
			["principal", "text"],
			["actor?", "text"],
			["title", "text"],
			["prompt", "text"],
			["trigger", "text"],
			["show", "text"],
			["taint", "text"],
			["created_at", "bigint"],
			["next_due?", "bigint"],
			["last_due?", "bigint"],
			["last_fired_at?", "bigint"],
			["last_run_id?", "text"],
			["firings", "bigint"],
			["problem?", "text"],
			["seen_seq", "bigint"],
			...stampColumns,
		],
	);
	await db.schema.createIndex("schedules_due").on("schedules").column("next_due").execute();
	await db.schema.createIndex("schedules_session").on("schedules").column("session_id").execute();
	await db.schema.createIndex("schedules_owner").on("schedules").column("owner").execute();
}

/**
 * Creates the table of trusted skills. The operator has trusted each skill for a working directory, and the row
 * contains the hash of the skill's content.
 */
export async function createTrustedSkills(db: Kysely<unknown>): Promise<void> {
	await withColumns(db.schema.createTable("trusted_skills"), [
		["directory", "text"],
		["path", "text"],
		["hash", "text"],
		["trusted_by", "text"],
		["trusted_at", "bigint"],
		...stampColumns,
	])
		.addPrimaryKeyConstraint("trusted_skills_key", ["directory", "path"])
		.execute();
}

/** Adds a column for the content of a skill when it was trusted, so that a person can see later changes. */
export async function addTrustedContent(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable("trusted_skills").addColumn("content", "text").execute();
}

/**
 * Adds a column for the chat messages that a run received as context. Creates the table with the ids of these messages.
 */
export async function addMessageContext(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable("runs").addColumn("context", "text").execute();
	await withColumns(db.schema.createTable("read_messages"), [
		["session_id", "text"],
		["message", "text"],
		["edited_at", "bigint"],
		["run_id", "text"],
		...stampColumns,
	])
		.addPrimaryKeyConstraint("read_messages_key", ["session_id", "message"])
		.execute();
}

/** Adds a column for the votes on tool calls that need several approvals. */
export async function addVotes(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable("prompts").addColumn("votes", "text").execute();
}

/** Adds columns for the notices about open approvals, and for the time of the next reminder, escalation or expiry. */
export async function addNotices(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable("prompts").addColumn("notices", "text").execute();
	await db.schema.alterTable("prompts").addColumn("due_at", "bigint").execute();
}

export async function createBackgroundCommands(db: Kysely<unknown>): Promise<void> {
	await withColumns(db.schema.createTable("background_commands"), [
		["session_id", "text"],
		["n", "integer"],
		["run_id", "text"],
		["call_id", "text"],
		["command", "text"],
		["started_at", "bigint"],
		["ended_at?", "bigint"],
		["reason?", "text"],
		["code?", "integer"],
		["informed", "integer"],
		...stampColumns,
	])
		.addPrimaryKeyConstraint("background_commands_key", ["session_id", "n"])
		.execute();
}

export async function createMcpTools(db: Kysely<unknown>): Promise<void> {
	await withColumns(db.schema.createTable("mcp_tools"), [
		["name", "text"],
		["directory", "text"],
		["hash", "text"],
		["at", "bigint"],
		...stampColumns,
	])
		.addPrimaryKeyConstraint("mcp_tools_key", ["name", "directory"])
		.execute();
}

export async function createFileChanges(db: Kysely<unknown>): Promise<void> {
	await withColumns(db.schema.createTable("file_changes"), [
		["session_id", "text"],
		["run_id", "text"],
		["n", "integer"],
		["path", "text"],
		["before_hash", "text"],
		["before_mode?", "integer"],
		["before_size", "bigint"],
		["content?", "text"],
		["stored", "bigint"],
		["after_hash", "text"],
		["writing_from?", "text"],
		["interleaved", "integer"],
		["undone_by?", "text"],
		...stampColumns,
	])
		.addPrimaryKeyConstraint("file_changes_key", ["session_id", "run_id", "n"])
		.execute();
}

/** Tables with text of sessions. Rows from before `addTextHashes` ran have no hash and are reported as unverified. */
const tables = ["events", "steps", "runs", "steers", "compactions"];

/** Adds a column for a hash to each table with text of sessions. The hash reveals later changes of the text. */
export async function addTextHashes(db: Kysely<unknown>): Promise<void> {
	for (const table of tables) await db.schema.alterTable(table).addColumn("hash", "text").execute();
}

/**
 * Adds a column to `sessions` for the `seq` of the first event that must have a hash. With the number in the column, a
 * check also detects deleted hashes.
 */
export async function addHashedFrom(db: Kysely<unknown>): Promise<void> {
	await db.schema
		.alterTable("sessions")
		.addColumn("hashed_from", "bigint", (column) => column.notNull().defaultTo(1))
		.execute();
	await sql`update sessions set hashed_from = coalesce(
		(select min(seq) from events where session_id = sessions.id and hash is not null), last_seq + 1)`.execute(
		db,
	);
}

const tasks: readonly Column[] = [
	["session_id", "text"],
	["own_session_id", "text"],
	["parent_id?", "text"],
	["spawn_call?", "text"],
	["retry_of?", "text"],
	["depth", "integer"],
	["submitted_by", "text"],
	["actor?", "text"],
	["title", "text"],
	["description", "text"],
	["tools", "text"],
	["priority", "integer"],
	["agent", "text"],
	["model?", "text"],
	["autonomy", "text"],
	["state", "text"],
	["announce?", "text"],
	["plan?", "text"],
	["review?", "text"],
	["suspend_count", "integer"],
	["retry_count", "integer"],
	["max_retries", "integer"],
	["not_before", "bigint"],
	["worked_ms", "bigint"],
	["speakers?", "text"],
	["worker?", "text"],
	["lease_until", "bigint"],
	["output", "text"],
	["error", "text"],
	["created_at", "bigint"],
	["updated_at", "bigint"],
	["started_at?", "bigint"],
	["ended_at?", "bigint"],
	...stampColumns,
];

/** Creates the tables of tasks and their dependencies, and adds a column for the task of a session. */
export async function createTasks(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable("sessions").addColumn("task_id", "text").execute();
	await createTable(db, "tasks", ["id", "text"], tasks);
	await withColumns(db.schema.createTable("task_needs"), [
		["task_id", "text"],
		["needs", "text"],
		...stampColumns,
	])
		.addPrimaryKeyConstraint("task_needs_key", ["task_id", "needs"])
		.execute();
	await db.schema.createIndex("task_needs_needs").on("task_needs").column("needs").execute();
	await db.schema.createIndex("tasks_state").on("tasks").columns(["state", "priority"]).execute();
	await db.schema.createIndex("tasks_session").on("tasks").columns(["session_id", "created_at"]).execute();
	await db.schema.createIndex("tasks_created").on("tasks").columns(["created_at", "id"]).execute();
	await db.schema.createIndex("tasks_parent").on("tasks").column("parent_id").execute();
}
