import { defined, hotStatement } from "@parley/base";
import type { Selectable } from "kysely";
import type { Tx } from "../../store/journal.ts";
import { stamp, type Tables } from "../../store/tables.ts";
import type { Role } from "../../vocabulary/principal.ts";

/**
 * Statement that reads the stored role of a person, the stored tenant, and the tenants of the connector's token. Every
 * request for a person runs this statement.
 */
export const findAccessState = hotStatement<
	Tables,
	{ id: string; platform: string; tenant: string; tokenId: string },
	{ role: AssignableRole | null; tenant: string | null; own: string | null }
>((db, p) =>
	db.selectNoFrom((eb) => [
		eb.selectFrom("people").select("role").where("id", "=", p("id")).as("role"),
		eb
			.selectFrom("tenants")
			.select("tenant")
			.where("platform", "=", p("platform"))
			.where("tenant", "=", p("tenant"))
			.as("tenant"),
		eb.selectFrom("tokens").select("tenants").where("id", "=", p("tokenId")).as("own"),
	]),
);

/** A person who gets access or a different role. */
export interface NewPerson {
	readonly platform: string;
	readonly tenant: string;
	readonly userId: string;
	readonly name: string;
	readonly role: AssignableRole;
	readonly addedBy: string;
}

/** Gives a person access or changes their role. Stores the name if it is known. */
export async function storePerson(tx: Tx, person: NewPerson, now: number): Promise<PersonFacts> {
	const { platform, tenant, userId, name, role, addedBy } = person;
	const id = `${platform}:${tenant}:${userId}`;
	const row = await tx
		.insertInto("people")
		.values({
			id,
			platform,
			tenant,
			user_id: userId,
			name,
			role,
			added_by: addedBy,
			created_at: now,
			updated_at: now,
			...stamp,
		})
		.onConflict((known) =>
			known.column("id").doUpdateSet({ role, updated_at: now, ...defined({ name: name || undefined }) }),
		)
		.returningAll()
		.executeTakeFirstOrThrow();
	return personFacts(row);
}

export function findPerson(tx: Tx, id: string): Promise<Selectable<Tables["people"]> | undefined> {
	return tx.selectFrom("people").selectAll().where("id", "=", id).executeTakeFirst();
}

export function personFacts(row: Selectable<Tables["people"]>): PersonFacts {
	const { id, name, role, added_by: addedBy } = row;
	return { id, name, role, addedBy, createdAt: Number(row.created_at) };
}

export type AssignableRole = Exclude<Role, "stranger">;

/** A person with a stored role. */
export interface PersonFacts {
	readonly id: string;
	readonly name: string;
	readonly role: AssignableRole;
	readonly addedBy: string;
	readonly createdAt: number;
}
