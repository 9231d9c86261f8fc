import type { Kysely } from "kysely";
import { createTable, stampColumns } from "../columns.ts";

/** Adds schedules: messages that are sent to a session at given times. */
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
