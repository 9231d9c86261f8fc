import { ParleyError } from "@parley/base";
import { fromRow, type Tx } from "../../store/journal.ts";
import { stamp } from "../../store/tables.ts";
import type { ChatSettings } from "../../vocabulary/chat-settings.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { tenantTexts } from "./texts.ts";

/** A guild or team of a chat platform. */
export interface Tenant {
	readonly platform: string;
	readonly tenant: string;
}

/**
 * Checks which guilds and teams connectors may serve:
 * - guilds and teams in the configuration
 * - guilds and teams that were listed when a token was created
 * - guilds and teams in which an owner has paired
 */
export class Tenants {
	/** Keys of the form `PLATFORM:TENANT`. */
	readonly #configured: ReadonlySet<string>;

	constructor({ tenants }: ChatSettings) {
		const listed = Object.entries(tenants);
		this.#configured = new Set(listed.flatMap(([platform, ids]) => ids.map((id) => `${platform}:${id}`)));
	}

	isConfigured({ platform, tenant }: Tenant): boolean {
		return this.#configured.has(`${platform}:${tenant}`);
	}

	async has(db: Tx, one: Tenant): Promise<boolean> {
		if (this.isConfigured(one)) return true;
		const row = await db
			.selectFrom("tenants")
			.select("tenant")
			.where("platform", "=", one.platform)
			.where("tenant", "=", one.tenant)
			.executeTakeFirst();
		return row !== undefined;
	}

	/** Returns a function that checks whether the connector serves a guild or team. */
	async of(db: Tx, { platform, tokenId = "" }: Principal): Promise<(one: Tenant) => boolean> {
		const rows = await db
			.selectFrom("tenants")
			.select("tenant")
			.where("platform", "=", platform ?? "")
			.execute();
		const known = new Set(rows.map(({ tenant }) => tenant));
		const own = await db.selectFrom("tokens").select("tenants").where("id", "=", tokenId).executeTakeFirst();
		return (one) =>
			one.platform === platform &&
			(known.has(one.tenant) || this.isConfigured(one)) &&
			isBoundTo(own?.tenants ?? null, one);
	}

	/**
	 * Throws `permission_denied` if the connector does not act for the tenant. The error says how to allow the
	 * tenant.
	 */
	async require(db: Tx, { tokenId = "" }: Principal, one: Tenant): Promise<void> {
		if (!(await this.has(db, one))) throw unknownTenant(one);
		const own = await db.selectFrom("tokens").select("tenants").where("id", "=", tokenId).executeTakeFirst();
		if (!isBoundTo(own?.tenants ?? null, one)) throw foreignTenant(one);
	}
}

/** Whether a token with these `tenants` in its row serves the guild or team. */
export function isBoundTo(tenants: string | null, { tenant }: Tenant): boolean {
	return tenants === null || fromRow<string[]>(tenants).includes(tenant);
}

/**
 * Allows the token, and all other tokens with the same name, to serve the guild or team. A token without tenants already
 * serves all guilds or teams.
 */
export async function bindTenant(tx: Tx, { tokenId = "" }: Principal, { tenant }: Tenant): Promise<void> {
	const rows = await tx
		.selectFrom("tokens")
		.select(["id", "tenants"])
		.where("name", "=", (eb) => eb.selectFrom("tokens").select("name").where("id", "=", tokenId))
		.where("tenants", "is not", null)
		.execute();
	for (const { id, tenants } of rows) {
		const all = JSON.stringify([...new Set([...fromRow<string[]>(tenants ?? "[]"), tenant])]);
		await tx.updateTable("tokens").set({ tenants: all }).where("id", "=", id).execute();
	}
}

/**
 * Allows connectors of the platform to serve the guild or team. A token that is limited to other guilds or teams
 * remains limited.
 */
export async function addTenant(
	tx: Tx,
	{ platform, tenant }: Tenant,
	{ by, now }: { readonly by: string; readonly now: number },
): Promise<void> {
	await tx
		.insertInto("tenants")
		.values({ platform, tenant, added_by: by, created_at: now, ...stamp })
		.onConflict((known) => known.columns(["platform", "tenant"]).doNothing())
		.execute();
}

/** Returns the error for a tenant that no connector may serve. The error says how to allow the tenant. */
export function unknownTenant({ platform, tenant }: Tenant): ParleyError {
	const message = tenantTexts.notAllowed(platform, tenant);
	return new ParleyError(message, { code: "permission_denied" });
}

/** Returns the error for a tenant for which the connector's token is not valid. */
export function foreignTenant({ platform, tenant }: Tenant): ParleyError {
	const message = tenantTexts.tokenInvalid(platform, tenant);
	return new ParleyError(message, { code: "permission_denied" });
}
