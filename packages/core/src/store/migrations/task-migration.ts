import type { Kysely } from "kysely";
import { type Column, createTable, stampColumns, withColumns } from "../columns.ts";

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

/** Tasks, what they wait for, and the conversations in which they are worked on. */
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
