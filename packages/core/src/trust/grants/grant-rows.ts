import { defined } from "@parley/base";
import type { Selectable } from "kysely";
import { fromRow, type Tx } from "../../store/journal.ts";
import { stamp, type Tables } from "../../store/tables.ts";
import type { GrantFacts } from "../../vocabulary/event.ts";
import { grantEndTexts } from "./texts.ts";

/** A grant, which may have ended. */
export type StoredGrant = GrantFacts & { readonly endedAt?: number; readonly endReason?: string };

export type GrantRow = Selectable<Tables["channel_grants"]>;

/** Number of denied calls after which the grant of a channel ends. */
const maxDenials = 3;

/** Current state against which a grant is checked. */
export interface Moment {
	/** Milliseconds since the epoch. */
	readonly now: number;
	/** Version of the current rules. */
	readonly policy: string;
	/** Whether commands in channels run in a sandbox that hides the gateway's own files. */
	readonly confined: boolean;
}

/** Returns the reason why an open grant no longer applies, or undefined if it applies. */
export function endReason(row: GrantRow, { now, policy, confined }: Moment): string | undefined {
	if (now >= Number(row.expires_at)) return "expired";
	if (!confined) return grantEndTexts.noSandbox;
	if (row.policy_version !== policy) return grantEndTexts.policyChanged;
	if (Number(row.denials) >= maxDenials) return grantEndTexts.denied(maxDenials);
	if (Number(row.used_actions) >= Number(row.max_actions)) return grantEndTexts.usedUp(row.max_actions);
	return undefined;
}

/** Returns the open grants, at most one for each channel. */
export function openGrants(db: Tx): Promise<GrantRow[]> {
	return db.selectFrom("channel_grants").selectAll().where("ended_at", "is", null).execute();
}

/** Returns the open grant of a channel, or undefined. `endReason` decides whether the grant still applies. */
export function openGrantOf(db: Tx, place: string): Promise<GrantRow | undefined> {
	return db
		.selectFrom("channel_grants")
		.selectAll()
		.where("place", "=", place)
		.where("ended_at", "is", null)
		.executeTakeFirst();
}

export function findGrant(db: Tx, id: string): Promise<GrantRow | undefined> {
	return db.selectFrom("channel_grants").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Inserts a grant that starts at `createdAt`. `notified` are the sessions that receive the event about the grant. */
export async function insertGrant(
	tx: Tx,
	grant: GrantFacts,
	{ policy, notified }: { readonly policy: string; readonly notified: readonly string[] },
): Promise<void> {
	await tx
		.insertInto("channel_grants")
		.values({
			id: grant.id,
			place: grant.place,
			people: jsonOf(grant.people),
			tools: jsonOf(grant.tools),
			classes: jsonOf(grant.classes),
			reason: grant.reason,
			max_actions: grant.maxActions,
			used_actions: grant.usedActions,
			denials: 0,
			policy_version: policy,
			granted_by: grant.grantedBy,
			created_at: grant.createdAt,
			expires_at: grant.expiresAt,
			alive_at: grant.createdAt,
			told: JSON.stringify(notified),
			ended_at: null,
			end_reason: null,
			...stamp,
		})
		.execute();
}

/** Ends a grant. Returns false if the grant had already ended. */
export async function endGrantRow(tx: Tx, id: string, reason: string, now: number): Promise<boolean> {
	const ended = await tx
		.updateTable("channel_grants")
		.set({ ended_at: now, end_reason: reason })
		.where("id", "=", id)
		.where("ended_at", "is", null)
		.executeTakeFirst();
	return ended.numUpdatedRows === 1n;
}

/**
 * Counts one call under the grant, and resolves with the updated row. Resolves with undefined if the grant no longer
 * applies; the call must then not run under this grant.
 */
export async function useGrantRow(tx: Tx, id: string, moment: Moment): Promise<GrantRow | undefined> {
	const row = await findGrant(tx, id);
	if (!row || row.ended_at !== null || endReason(row, moment) !== undefined) return undefined;
	const used_actions = Number(row.used_actions) + 1;
	await tx.updateTable("channel_grants").set({ used_actions }).where("id", "=", id).execute();
	return { ...row, used_actions };
}

export async function countDenial(tx: Tx, place: string): Promise<void> {
	await tx
		.updateTable("channel_grants")
		.set((eb) => ({ denials: eb("denials", "+", 1) }))
		.where("place", "=", place)
		.where("ended_at", "is", null)
		.execute();
}

/** Stores `now` in each open grant, as the last time at which the gateway was running. */
export async function markAlive(tx: Tx, now: number): Promise<void> {
	await tx.updateTable("channel_grants").set({ alive_at: now }).where("ended_at", "is", null).execute();
}

/**
 * Returns at most 1,000 grants, newest first: of the channels in `places` or, if it is undefined, of all channels.
 * Includes ended grants if `ended` is true.
 */
export async function listGrants(
	db: Tx,
	{ places, ended }: { readonly places: readonly string[] | undefined; readonly ended: boolean },
): Promise<StoredGrant[]> {
	let selected = db.selectFrom("channel_grants").selectAll().orderBy("created_at", "desc").limit(maxListed);
	if (places !== undefined) selected = selected.where("place", "in", places.length > 0 ? places : [""]);
	if (!ended) selected = selected.where("ended_at", "is", null);
	return (await selected.execute()).map(storedGrantOf);
}

const maxListed = 1_000;

export function grantFacts(row: GrantRow): GrantFacts {
	return {
		id: row.id,
		place: row.place,
		people: namesOf(row.people),
		tools: namesOf(row.tools),
		classes: namesOf(row.classes),
		maxActions: Number(row.max_actions),
		usedActions: Number(row.used_actions),
		reason: row.reason,
		grantedBy: row.granted_by,
		createdAt: Number(row.created_at),
		expiresAt: Number(row.expires_at),
	};
}

function storedGrantOf(row: GrantRow): StoredGrant {
	return {
		...grantFacts(row),
		...defined({
			endedAt: row.ended_at === null ? undefined : Number(row.ended_at),
			endReason: row.end_reason ?? undefined,
		}),
	};
}

/** Returns the sessions that received the event about the start of the grant. */
export function notifiedSessions({ told }: GrantRow): readonly string[] {
	return fromRow<string[]>(told);
}

function jsonOf(names: readonly string[] | null): string | null {
	return names === null ? null : JSON.stringify(names);
}

function namesOf(names: string | null): readonly string[] | null {
	return names === null ? null : fromRow<string[]>(names);
}
