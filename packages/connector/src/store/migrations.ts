import type { Engine, Migration } from "@parley/base";
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { isOpen } from "./tables.ts";

type Columns = Readonly<Record<string, "text" | "bigint" | "integer">>;

function withColumns(table: CreateTableBuilder<string, string>, columns: Columns, optional: Columns = {}) {
	let built = table;
	for (const [name, type] of Object.entries(columns)) {
		built = built.addColumn(name, type, (column) => column.notNull());
	}
	for (const [name, type] of Object.entries(optional)) built = built.addColumn(name, type);
	return built;
}

function ordered(db: Kysely<unknown>, engine: Engine, name: string) {
	return db.schema
		.createTable(name)
		.addColumn("position", engine === "sqlite" ? "integer" : "bigserial", (column) => {
			// Without `autoIncrement`, SQLite reuses the number of a deleted newest row.
			return engine === "sqlite" ? column.primaryKey().autoIncrement() : column.primaryKey();
		})
		.addColumn("id", "text", (column) => column.notNull().unique());
}

async function createDelivery(db: Kysely<unknown>, engine: Engine): Promise<void> {
	await withColumns(
		ordered(db, engine, "outbox"),
		{
			session: "text",
			seq: "bigint",
			conversation: "text",
			lane: "text",
			payload: "text",
			at: "bigint",
			state: "text",
			attempts: "integer",
			changed_at: "bigint",
		},
		{ card: "text", reason: "text", remote: "text" },
	).execute();
	await withColumns(
		db.schema.createTable("cards").addColumn("card", "text", (column) => column.primaryKey()),
		{ remote: "text", changed_at: "bigint" },
	).execute();
	await withColumns(
		db.schema.createTable("cursors").addColumn("session", "text", (column) => column.primaryKey()),
		{ conversation: "text", seq: "bigint", changed_at: "bigint" },
	).execute();
	await withColumns(
		ordered(db, engine, "inbound"),
		{ conversation: "text", data: "text", state: "text", attempts: "integer", changed_at: "bigint" },
		{ reason: "text" },
	).execute();
	for (const [name, table, columns] of [
		["outbox_conversation", "outbox", ["conversation", "state"]],
		["outbox_state", "outbox", ["state", "changed_at"]],
		["outbox_card", "outbox", ["card", "state"]],
		["cards_changed", "cards", ["changed_at"]],
		["inbound_state", "inbound", ["state", "changed_at"]],
	] as const) {
		await db.schema
			.createIndex(name)
			.on(table)
			.columns([...columns])
			.execute();
	}
}

async function createConversations(db: Kysely<unknown>): Promise<void> {
	const cursors = db.schema.alterTable("cursors");
	await cursors.addColumn("replayed_to", "bigint", (column) => column.notNull().defaultTo(0)).execute();
	await cursors.addColumn("state", "text").execute();
	await withColumns(
		db.schema.createTable("rooms").addColumn("room", "text", (column) => column.primaryKey()),
		{ external_key: "text", turned_by: "text", changed_at: "bigint" },
	).execute();
	await withColumns(
		db.schema.createTable("heard").addColumn("id", "text", (column) => column.primaryKey()),
		{
			message: "text",
			conversation: "text",
			reason: "text",
			effect: "text",
			person: "text",
			at: "bigint",
			changed_at: "bigint",
		},
		{ text: "text", session: "text", run: "text" },
	).execute();
	for (const [name, table, columns] of [
		["heard_message", "heard", ["conversation", "message"]],
		["heard_changed", "heard", ["changed_at"]],
		["outbox_remote", "outbox", ["remote"]],
		["cards_remote", "cards", ["remote"]],
		["cursors_changed", "cursors", ["changed_at"]],
	] as const) {
		await db.schema
			.createIndex(name)
			.on(table)
			.columns([...columns])
			.execute();
	}
}

async function createDecisions(db: Kysely<unknown>): Promise<void> {
	await withColumns(
		db.schema.createTable("decisions").addColumn("id", "text", (column) => column.primaryKey()),
		{ send: "integer", by: "text", at: "bigint" },
	).execute();
}

async function indexStops(db: Kysely<unknown>): Promise<void> {
	// Stops that found no active run are rare, so a partial index is small.
	await db.schema
		.createIndex("heard_stops")
		.on("heard")
		.columns(["conversation", "at"])
		.where(sql.ref("effect"), "=", sql.lit("nothing-to-stop"))
		.execute();
}

/** Restricts or removes indexes, because every post and event updates them. */
async function narrowIndexes(db: Kysely<unknown>): Promise<void> {
	for (const name of ["outbox_conversation", "outbox_card", "outbox_remote", "cursors_changed"]) {
		await db.schema.dropIndex(name).execute();
	}
	const { schema } = db;
	await schema.createIndex("outbox_open").on("outbox").column("conversation").where(isOpen).execute();
	for (const [column, ...more] of [["card", "state"], ["remote"]] as const) {
		await schema
			.createIndex(`outbox_${column}`)
			.on("outbox")
			.columns([column, ...more])
			.where(sql.ref(column), "is not", null)
			.execute();
	}
}

async function storeKeys(db: Kysely<unknown>): Promise<void> {
	// The gateway no longer reports the key of a deleted session.
	await db.schema.alterTable("cursors").addColumn("external_key", "text").execute();
}

async function storeSendTimes(db: Kysely<unknown>): Promise<void> {
	// A restarted process must know how long the platform still refuses duplicates.
	await db.schema.alterTable("outbox").addColumn("sent_at", "bigint").execute();
}

async function storeTypedAnswers(db: Kysely<unknown>): Promise<void> {
	// A restarted process must send the same answer again, even if the question is closed by then.
	await withColumns(
		db.schema.createTable("typed").addColumn("event", "text", (column) => column.primaryKey()),
		{ session: "text", token: "text", response: "text", changed_at: "bigint" },
	).execute();
}

async function storeJoins(db: Kysely<unknown>): Promise<void> {
	// A restarted process must send the same request again.
	await withColumns(
		db.schema.createTable("joined").addColumn("event", "text", (column) => column.primaryKey()),
		{ first: "text", place: "integer", changed_at: "bigint" },
	).execute();
	await db.schema.createIndex("joined_first").on("joined").column("first").execute();
}

async function storeChoices(db: Kysely<unknown>): Promise<void> {
	// A restarted process must repeat the same choice, for example which object a number in a list refers to.
	await withColumns(
		db.schema.createTable("choices").addColumn("key", "text", (column) => column.primaryKey()),
		{ choice: "text", changed_at: "bigint" },
	).execute();
}

/** Migrations of a connector's database, in order. Never edit a released migration: append a new one. */
export const connectorMigrations: readonly Migration[] = [
	{ name: "0001-delivery", up: createDelivery },
	{ name: "0002-conversations", up: createConversations },
	{ name: "0003-decisions", up: createDecisions },
	{ name: "0004-stops", up: indexStops },
	{ name: "0005-narrow-indexes", up: narrowIndexes },
	{ name: "0006-session-keys", up: storeKeys },
	{ name: "0007-send-times", up: storeSendTimes },
	{ name: "0008-typed-answers", up: storeTypedAnswers },
	{ name: "0009-joined-messages", up: storeJoins },
	{ name: "0010-choices", up: storeChoices },
];
