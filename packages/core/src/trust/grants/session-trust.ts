import { type Clock, hotStatement, type Ids } from "@parley/base";
import { fromRow, type Tx } from "../../store/journal.ts";
import { stamp, type Tables } from "../../store/tables.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import type { GrantScope } from "../../vocabulary/tool.ts";
import { type Audit, byItself, requestedBy } from "../audit/audit.ts";

/** Milliseconds after the last client disconnected until `accept_all_tools` ends. */
const absenceMs = 60_000;
/** Lifetime of `accept_all_tools` in milliseconds. */
const trustLifeMs = 8 * 60 * 60 * 1000;

/** A grant of `accept_all_tools`. */
export interface SessionTrust {
	readonly id: string;
	readonly expiresAt: number;
}

/**
 * Whether the trust applies at `now`. `absentSince`: time when the last client disconnected, or undefined
 * while a client is connected.
 */
export function isTrustValid(
	trust: SessionTrust | undefined,
	now: number,
	absentSince: number | undefined,
): boolean {
	if (!trust || now >= trust.expiresAt) return false;
	return absentSince === undefined || now - absentSince <= absenceMs;
}

/** Grants `accept_all_tools` for the session, and ends an earlier grant. */
export async function grantTrust(
	tx: Tx,
	sessionId: string,
	by: Principal,
	{ clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): Promise<SessionTrust> {
	const now = clock.now();
	const trust: SessionTrust = { id: ids.create("grant"), expiresAt: now + trustLifeMs };
	await tx
		.updateTable("grants")
		.set({ ended_at: now })
		.where("session_id", "=", sessionId)
		.where("kind", "=", "accept_all")
		.where("ended_at", "is", null)
		.execute();
	await tx
		.insertInto("grants")
		.values({
			id: trust.id,
			session_id: sessionId,
			kind: "accept_all",
			scope: null,
			granted_by: by.id,
			created_at: now,
			expires_at: trust.expiresAt,
			ended_at: null,
			...stamp,
		})
		.execute();
	return trust;
}

/** Ends a grant. If `by` is absent, the audit log records that the grant expired. */
export async function endTrust(
	tx: Tx,
	{ sessionId, id, by }: { readonly sessionId: string; readonly id: string; readonly by?: Principal },
	{ clock, audit }: { readonly clock: Clock; readonly audit: Audit },
): Promise<void> {
	await tx.updateTable("grants").set({ ended_at: clock.now() }).where("id", "=", id).execute();
	const auditFacts = by ? { ...requestedBy(by), decision: "ended" } : { ...byItself, decision: "expired" };
	await audit.record(tx, { ...auditFacts, action: "accept_all.end", object: sessionId, grantId: id });
}

const acceptAllGrant = hotStatement<Tables, { sessionId: string }, { id: string; expires_at: number }>(
	(db, p) =>
		db
			.selectFrom("grants")
			.select(["id", "expires_at"])
			.where("session_id", "=", p("sessionId"))
			.where("kind", "=", "accept_all")
			.where("ended_at", "is", null),
);

/**
 * Returns the session's grant of `accept_all_tools`. Returns undefined if no such grant exists or the grant was ended.
 * The returned grant may have expired.
 */
export async function findTrust(db: Tx, sessionId: string): Promise<SessionTrust | undefined> {
	const [row] = await acceptAllGrant(db, { sessionId });
	return row && { id: row.id, expiresAt: Number(row.expires_at) };
}

/** Stores the scope of a session approval. */
export async function grantScope(
	tx: Tx,
	facts: { readonly id: string; readonly sessionId: string; readonly scope: string; readonly by: string },
	now: number,
): Promise<void> {
	await tx
		.insertInto("grants")
		.values({
			id: facts.id,
			session_id: facts.sessionId,
			kind: "scope",
			scope: facts.scope,
			granted_by: facts.by,
			created_at: now,
			expires_at: null,
			ended_at: null,
			...stamp,
		})
		.execute();
}

/** Returns the scope of each session approval that has not ended. */
export async function findScopes(db: Tx, sessionId: string): Promise<GrantScope[]> {
	const rows = await db
		.selectFrom("grants")
		.select("scope")
		.where("session_id", "=", sessionId)
		.where("kind", "=", "scope")
		.where("ended_at", "is", null)
		.execute();
	return rows.flatMap(({ scope }) => (scope === null ? [] : [fromRow<GrantScope>(scope)]));
}
