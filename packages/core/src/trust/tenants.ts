import { ParleyError } from "@parley/base";
import type { Tx } from "../journal/journal.ts";
import { stamp } from "../journal/tables.ts";
import type { ChatSettings } from "./chat-settings.ts";

/** A guild or team of a chat platform. */
export interface Tenant {
	readonly platform: string;
	readonly tenant: string;
}

/** Whether connectors speak for it: by the configuration, or because an owner has come in there. */
export class Tenants {
	/** `PLATFORM:TENANT`. */
	readonly #configured: ReadonlySet<string>;

	constructor({ tenants }: Pick<ChatSettings, "tenants">) {
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
}

/** From now on connectors of the platform speak for it. */
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

/** What is said of one that connectors do not speak for, with the ways to change that. */
export function unknownTenant({ platform, tenant }: Tenant): ParleyError {
	const message =
		`connectors of ${platform} do not speak for ${tenant}: its first owner comes in with a code of ` +
		`parley people pair --role owner, or the configuration names it under chat.tenants.${platform}`;
	return new ParleyError(message, { code: "permission_denied" });
}
