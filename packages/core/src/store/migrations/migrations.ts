import { keyvMigration, type Migration } from "@parley/base";
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import {
	addHashedFrom,
	addMessageContext,
	addNotices,
	addTextHashes,
	addTrustedContent,
	addVotes,
	createBackgroundCommands,
	createFileChanges,
	createMcpTools,
	createMemories,
	createSchedules,
	createTasks,
	createTrustedSkills,
} from "./added-tables.ts";
import { createSearch, indexInGroups } from "./search-migration.ts";
import { createTrust } from "./trust-migration.ts";

const stamped = <T extends string, C extends string>(table: CreateTableBuilder<T, C>) =>
	table
		.addColumn("epoch", "bigint", (column) => column.notNull())
		.addColumn("v", "integer", (column) => column.notNull());

const createSessions = (db: Kysely<unknown>) =>
	stamped(db.schema.createTable("sessions"))
		.addColumn("id", "text", (column) => column.primaryKey())
		.addColumn("owner", "text", (column) => column.notNull())
		.addColumn("external_key", "text")
		.addColumn("title", "text", (column) => column.notNull())
		.addColumn("root_dir", "text", (column) => column.notNull())
		.addColumn("status", "text", (column) => column.notNull())
		.addColumn("last_seq", "bigint", (column) => column.notNull())
		.addColumn("system_prompt", "text")
		.addColumn("message_count", "bigint", (column) => column.notNull())
		.addColumn("input_tokens", "bigint", (column) => column.notNull())
		.addColumn("output_tokens", "bigint", (column) => column.notNull())
		.addColumn("created_at", "bigint", (column) => column.notNull())
		.addColumn("updated_at", "bigint", (column) => column.notNull())
		.addColumn("left_at", "bigint")
		.addUniqueConstraint("sessions_external_key", ["owner", "external_key"])
		.execute();

const createEvents = (db: Kysely<unknown>, engine: "sqlite" | "postgres") =>
	stamped(db.schema.createTable("events"))
		.addColumn("position", engine === "sqlite" ? "integer" : "bigserial", (column) => {
			return engine === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey();
		})
		.addColumn("id", "text", (column) => column.notNull())
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("seq", "bigint", (column) => column.notNull())
		.addColumn("type", "text", (column) => column.notNull())
		.addColumn("at", "bigint", (column) => column.notNull())
		.addColumn("data", "text", (column) => column.notNull())
		.addUniqueConstraint("events_seq", ["session_id", "seq"])
		.execute();

const createRuns = (db: Kysely<unknown>) =>
	stamped(db.schema.createTable("runs"))
		.addColumn("id", "text", (column) => column.primaryKey())
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("ordinal", "bigint", (column) => column.notNull())
		.addColumn("state", "text", (column) => column.notNull())
		.addColumn("content", "text", (column) => column.notNull())
		.addColumn("accept_all", "integer", (column) => column.notNull())
		.addColumn("cancel_requested", "integer", (column) => column.notNull())
		.addColumn("created_at", "bigint", (column) => column.notNull())
		.addColumn("ended_at", "bigint")
		.addUniqueConstraint("runs_ordinal", ["session_id", "ordinal"])
		.execute();

const createSteps = (db: Kysely<unknown>) =>
	stamped(db.schema.createTable("steps"))
		.addColumn("run_id", "text", (column) => column.notNull())
		.addColumn("n", "integer", (column) => column.notNull())
		.addColumn("at", "bigint", (column) => column.notNull())
		.addColumn("data", "text", (column) => column.notNull())
		.addPrimaryKeyConstraint("steps_key", ["run_id", "n"])
		.execute();

const createPrompts = (db: Kysely<unknown>) =>
	stamped(db.schema.createTable("prompts"))
		.addColumn("token", "text", (column) => column.primaryKey())
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("run_id", "text", (column) => column.notNull())
		.addColumn("call_id", "text", (column) => column.notNull())
		.addColumn("state", "text", (column) => column.notNull())
		.addColumn("seq", "bigint", (column) => column.notNull())
		.addColumn("request", "text", (column) => column.notNull())
		.addColumn("answer", "text")
		.addColumn("floor", "integer", (column) => column.notNull())
		.addColumn("scope", "text")
		.addColumn("binding", "text")
		.addColumn("expires_at", "bigint", (column) => column.notNull())
		.execute();

const createGrants = (db: Kysely<unknown>) =>
	stamped(db.schema.createTable("grants"))
		.addColumn("id", "text", (column) => column.primaryKey())
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("kind", "text", (column) => column.notNull())
		.addColumn("scope", "text")
		.addColumn("granted_by", "text", (column) => column.notNull())
		.addColumn("created_at", "bigint", (column) => column.notNull())
		.addColumn("expires_at", "bigint")
		.addColumn("ended_at", "bigint")
		.execute();

const createSecretsAndKeys = async (db: Kysely<unknown>) => {
	await stamped(db.schema.createTable("secrets"))
		.addColumn("id", "text", (column) => column.primaryKey())
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("sealed", "text", (column) => column.notNull())
		.addColumn("created_at", "bigint", (column) => column.notNull())
		.execute();
	await stamped(db.schema.createTable("keys"))
		.addColumn("principal", "text", (column) => column.notNull())
		.addColumn("key", "text", (column) => column.notNull())
		.addColumn("request", "text", (column) => column.notNull())
		.addColumn("response", "text", (column) => column.notNull())
		.addColumn("created_at", "bigint", (column) => column.notNull())
		.addPrimaryKeyConstraint("keys_key", ["principal", "key"])
		.execute();
};

const createIndexes = async (db: Kysely<unknown>) => {
	await sql`create index runs_open on runs (session_id, state) where state <> 'ended'`.execute(db);
	await sql`create index prompts_open on prompts (session_id) where state = 'open'`.execute(db);
	await db.schema.createIndex("prompts_call").on("prompts").columns(["run_id", "call_id"]).execute();
	await db.schema.createIndex("grants_session").on("grants").column("session_id").execute();
	await db.schema.createIndex("keys_created").on("keys").column("created_at").execute();
};

const extendForModels = async (db: Kysely<unknown>) => {
	await db.schema.alterTable("sessions").addColumn("model", "text").execute();
	await db.schema
		.alterTable("sessions")
		.addColumn("profile", "text", (column) => column.notNull().defaultTo("default"))
		.execute();
	await db.schema
		.alterTable("sessions")
		.addColumn("taint", "text", (column) => column.notNull().defaultTo(""))
		.execute();
	await db.schema.alterTable("runs").addColumn("images", "text").execute();
	await db.schema.alterTable("runs").addColumn("retry_of", "text").execute();
	await stamped(db.schema.createTable("steers"))
		.addColumn("id", "text", (column) => column.primaryKey())
		.addColumn("run_id", "text", (column) => column.notNull())
		.addColumn("ordinal", "integer", (column) => column.notNull())
		.addColumn("content", "text", (column) => column.notNull())
		.addColumn("created_at", "bigint", (column) => column.notNull())
		.addUniqueConstraint("steers_order", ["run_id", "ordinal"])
		.execute();
	await stamped(db.schema.createTable("compactions"))
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("n", "integer", (column) => column.notNull())
		.addColumn("level", "text", (column) => column.notNull())
		.addColumn("run_ordinal", "bigint", (column) => column.notNull())
		.addColumn("message", "integer", (column) => column.notNull())
		.addColumn("summary", "text")
		.addColumn("at", "bigint", (column) => column.notNull())
		.addPrimaryKeyConstraint("compactions_key", ["session_id", "n"])
		.execute();
};

const createUsage = async (db: Kysely<unknown>) => {
	await stamped(db.schema.createTable("usage_days"))
		.addColumn("scope", "text", (column) => column.notNull())
		.addColumn("day", "text", (column) => column.notNull())
		.addColumn("model", "text", (column) => column.notNull())
		.addColumn("provider", "text", (column) => column.notNull())
		.addColumn("calls", "bigint", (column) => column.notNull())
		.addColumn("input_tokens", "bigint", (column) => column.notNull())
		.addColumn("output_tokens", "bigint", (column) => column.notNull())
		.addColumn("cache_read_tokens", "bigint", (column) => column.notNull())
		.addColumn("cache_write_tokens", "bigint", (column) => column.notNull())
		.addColumn("cost", "bigint", (column) => column.notNull())
		.addPrimaryKeyConstraint("usage_days_key", ["scope", "day", "model", "provider"])
		.execute();
	await stamped(db.schema.createTable("budgets"))
		.addColumn("scope", "text", (column) => column.notNull())
		.addColumn("period", "text", (column) => column.notNull())
		.addColumn("limit_cost", "bigint")
		.addColumn("set_by", "text", (column) => column.notNull())
		.addColumn("set_at", "bigint", (column) => column.notNull())
		.addPrimaryKeyConstraint("budgets_key", ["scope", "period"])
		.execute();
};

const extendForOperators = async (db: Kysely<unknown>) => {
	await db.schema.alterTable("sessions").addColumn("titled_by", "text").execute();
	await sql`update sessions set titled_by = 'person' where title <> ''`.execute(db);
	for (const column of ["attachments", "correlation"])
		await db.schema.alterTable("runs").addColumn(column, "text").execute();
	for (const [column, type] of [
		["reminded", "integer"],
		["created_at", "bigint"],
	] as const) {
		await db.schema
			.alterTable("prompts")
			.addColumn(column, type, (definition) => definition.notNull().defaultTo(0))
			.execute();
	}
	// Questions that exist when the migration runs have a lifetime of one day.
	await sql`update prompts set created_at = expires_at - 86400000`.execute(db);
	await stamped(db.schema.createTable("files"))
		.addColumn("id", "text", (column) => column.primaryKey())
		.addColumn("owner", "text", (column) => column.notNull())
		.addColumn("session_id", "text")
		.addColumn("name", "text", (column) => column.notNull())
		.addColumn("media_type", "text", (column) => column.notNull())
		.addColumn("bytes", "bigint", (column) => column.notNull())
		.addColumn("sha256", "text", (column) => column.notNull())
		.addColumn("created_at", "bigint", (column) => column.notNull())
		.addColumn("expires_at", "bigint", (column) => column.notNull())
		.execute();
	await stamped(db.schema.createTable("feedback"))
		.addColumn("session_id", "text", (column) => column.notNull())
		.addColumn("run_id", "text", (column) => column.notNull())
		.addColumn("principal", "text", (column) => column.notNull())
		.addColumn("rating", "text", (column) => column.notNull())
		.addColumn("comment", "text", (column) => column.notNull())
		.addColumn("at", "bigint", (column) => column.notNull())
		.addPrimaryKeyConstraint("feedback_key", ["run_id", "principal"])
		.execute();
	await db.schema.createIndex("files_session").on("files").column("session_id").execute();
	await db.schema.createIndex("files_expiry").on("files").column("expires_at").execute();
	await db.schema.createIndex("feedback_session").on("feedback").column("session_id").execute();
	await db.schema.createIndex("secrets_session").on("secrets").column("session_id").execute();
	await db.schema.createIndex("prompts_session").on("prompts").column("session_id").execute();
	await db.schema.createIndex("sessions_updated").on("sessions").column("updated_at").execute();
};

/**
 * Moves the system prompts from `sessions` to a separate table, because each change of a session's row writes the
 * complete row.
 */
const separateSystemPrompts = async (db: Kysely<unknown>): Promise<void> => {
	await stamped(db.schema.createTable("system_prompts"))
		.addColumn("session_id", "text", (column) => column.primaryKey())
		.addColumn("text", "text", (column) => column.notNull())
		.execute();
	await sql`insert into system_prompts (epoch, v, session_id, text)
		select epoch, 1, id, system_prompt from sessions where system_prompt is not null`.execute(db);
	await db.schema.alterTable("sessions").dropColumn("system_prompt").execute();
};

/** Migrations of the journal, in order. Never edit a released migration: add a new one. */
export const migrations: readonly Migration[] = [
	keyvMigration,
	{
		name: "0001-sessions",
		async up(db, engine) {
			await createSessions(db);
			await createEvents(db, engine);
			await createRuns(db);
			await createSteps(db);
			await createPrompts(db);
			await createGrants(db);
			await createSecretsAndKeys(db);
			await createIndexes(db);
		},
	},
	{
		name: "0002-models",
		async up(db) {
			await extendForModels(db);
			await createUsage(db);
		},
	},
	{
		name: "0003-operators",
		async up(db, engine) {
			await extendForOperators(db);
			await createSearch(db, engine);
		},
	},
	{ name: "0004-trust", up: createTrust },
	{ name: "0005-tasks", up: createTasks },
	{ name: "0006-text-hashes", up: addTextHashes },
	{ name: "0007-hashed-from", up: addHashedFrom },
	{
		name: "0008-small-commits",
		async up(db, engine) {
			await separateSystemPrompts(db);
			if (engine === "sqlite") await indexInGroups(db);
		},
	},
	{
		name: "0009-run-options",
		async up(db) {
			await db.schema.alterTable("runs").addColumn("options", "text").execute();
		},
	},
	{ name: "0010-memories", up: createMemories },
	{ name: "0011-schedules", up: createSchedules },
	{ name: "0012-trusted-skills", up: createTrustedSkills },
	{ name: "0013-trusted-content", up: addTrustedContent },
	{ name: "0014-message-context", up: addMessageContext },
	{ name: "0015-votes", up: addVotes },
	{ name: "0016-notices", up: addNotices },
	{
		name: "0017-joined-messages",
		async up(db) {
			await db.schema.alterTable("steers").addColumn("context", "text").execute();
			await db.schema.alterTable("runs").addColumn("joined", "text").execute();
		},
	},
	{ name: "0018-background-commands", up: createBackgroundCommands },
	{ name: "0019-mcp-tools", up: createMcpTools },
	{
		name: "0020-stopped-by",
		async up(db) {
			await db.schema.alterTable("runs").addColumn("cancelled_by", "text").execute();
		},
	},
	{ name: "0021-file-changes", up: createFileChanges },
];
