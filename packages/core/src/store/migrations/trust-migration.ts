import type { Kysely } from "kysely";
import { type Column, createTable, stampColumns as stamp, withColumns } from "../columns.ts";

const tokens: readonly Column[] = [
	["kind", "text"],
	["name", "text"],
	["hash", "text"],
	["platform?", "text"],
	["tenants?", "text"],
	["sessions?", "text"],
	["created_at", "bigint"],
	["last_used_at?", "bigint"],
	["expires_at?", "bigint"],
	["revoked_at?", "bigint"],
	...stamp,
];

const tenants: readonly Column[] = [
	["platform", "text"],
	["tenant", "text"],
	["added_by", "text"],
	["created_at", "bigint"],
	...stamp,
];

const people: readonly Column[] = [
	["platform", "text"],
	["tenant", "text"],
	["user_id", "text"],
	["name", "text"],
	["role", "text"],
	["added_by", "text"],
	["created_at", "bigint"],
	["updated_at", "bigint"],
	...stamp,
];

const pairings: readonly Column[] = [
	["kind", "text"],
	["code_hash", "text"],
	["platform?", "text"],
	["tenant?", "text"],
	["user_id?", "text"],
	["name?", "text"],
	["role?", "text"],
	["created_at", "bigint"],
	["expires_at", "bigint"],
	["settled_at?", "bigint"],
	...stamp,
];

const places: readonly Column[] = [["profile", "text"], ["set_by", "text"], ["set_at", "bigint"], ...stamp];

const channelGrants: readonly Column[] = [
	["place", "text"],
	["people?", "text"],
	["tools?", "text"],
	["classes?", "text"],
	["reason", "text"],
	["max_actions", "bigint"],
	["used_actions", "bigint"],
	["denials", "bigint"],
	["policy_version", "text"],
	["granted_by", "text"],
	["created_at", "bigint"],
	["expires_at", "bigint"],
	["alive_at", "bigint"],
	["told", "text"],
	["ended_at?", "bigint"],
	["end_reason?", "text"],
	...stamp,
];

const audit: readonly Column[] = [
	["at", "bigint"],
	["principal", "text"],
	["via", "text"],
	["action", "text"],
	["object", "text"],
	["decision", "text"],
	["args_sha256?", "text"],
	["args?", "text"],
	["grant_id?", "text"],
	["prev_hash", "text"],
	["hash", "text"],
	["v", "integer"],
];

/**
 * Creates the tables about trust. Also adds columns for the channel of a session, for the author of a message, and for
 * the trust grant that a question requests.
 */
export async function createTrust(db: Kysely<unknown>): Promise<void> {
	for (const [table, column] of [
		["sessions", "place"],
		["runs", "actor"],
		["prompts", "wanted_grant"],
		["steers", "actor"],
	] as const) {
		await db.schema.alterTable(table).addColumn(column, "text").execute();
	}
	await createTable(db, "tokens", ["id", "text"], tokens);
	await createTable(db, "people", ["id", "text"], people);
	await createTable(db, "pairings", ["id", "text"], pairings);
	await createTable(db, "places", ["key", "text"], places);
	await createTable(db, "channel_grants", ["id", "text"], channelGrants);
	await createTable(db, "audit", ["seq", "bigint"], audit);
	await withColumns(db.schema.createTable("tenants"), tenants)
		.addPrimaryKeyConstraint("tenants_key", ["platform", "tenant"])
		.execute();
	await db.schema.createIndex("pairings_code").on("pairings").column("code_hash").execute();
	await db.schema.createIndex("channel_grants_place").on("channel_grants").column("place").execute();
	await db.schema.createIndex("sessions_place").on("sessions").column("place").execute();
}
