import type { Kysely } from "kysely";
import { stampColumns, withColumns } from "../columns.ts";

/** Adds the skills of working directories that the operator has trusted, each with the hash of its content. */
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

/** Adds the trusted content, so that a person sees what has changed since. */
export async function addTrustedContent(db: Kysely<unknown>): Promise<void> {
	await db.schema.alterTable("trusted_skills").addColumn("content", "text").execute();
}
