import { defined } from "@parley/base";
import type { Tx } from "../../store/journal.ts";
import { stamp } from "../../store/tables.ts";
import type { GivenRole } from "./person-rows.ts";

/** Maximum open access requests of one guild or team. */
export const maxWaiting = 3;

/** A valid code. */
export interface OpenPairing {
	readonly id: string;
	readonly platform: string | null;
	readonly tenant: string | null;
	readonly user_id: string | null;
	readonly name: string | null;
	readonly role: GivenRole | null;
	readonly expires_at: number;
}

type Kind = PairingFacts["kind"];

const facts = ["id", "platform", "tenant", "user_id", "name", "role", "expires_at"] as const;

const listed = [...facts, "kind", "created_at"] as const;

/** Time that an expired code stays stored, so that a person who types it learns that it has expired. */
const rememberedMs = 7 * 24 * 60 * 60 * 1000;

/** Stores a code, and deletes those that expired a week ago. */
export async function insertPairing(
	tx: Tx,
	pairing: OpenPairing & { readonly kind: Kind; readonly code_hash: string },
	now: number,
): Promise<void> {
	await tx
		.deleteFrom("pairings")
		.where("expires_at", "<=", now - rememberedMs)
		.execute();
	await tx
		.insertInto("pairings")
		.values({ ...pairing, created_at: now, settled_at: null, ...stamp })
		.execute();
}

/** The valid code with that hash. */
export function findPairing(
	tx: Tx,
	kind: Kind,
	{ hash, now }: { readonly hash: string; readonly now: number },
): Promise<OpenPairing | undefined> {
	return tx
		.selectFrom("pairings")
		.select(facts)
		.where("code_hash", "=", hash)
		.where("kind", "=", kind)
		.where("settled_at", "is", null)
		.where("expires_at", ">", now)
		.executeTakeFirst();
}

/** A code that was ever issued. */
export interface IssuedPairing extends OpenPairing {
	readonly kind: Kind;
	/** Time of use or withdrawal. */
	readonly settled_at: number | null;
}

/** The code with that hash, valid or not; undefined if it was never issued or expired a week ago. */
export function findIssuedPairing(tx: Tx, hash: string): Promise<IssuedPairing | undefined> {
	return tx
		.selectFrom("pairings")
		.select([...facts, "kind", "settled_at"])
		.where("code_hash", "=", hash)
		.executeTakeFirst();
}

/** All valid codes, oldest first. */
export async function openPairings(db: Tx, now: number): Promise<PairingFacts[]> {
	const rows = await db
		.selectFrom("pairings")
		.select(listed)
		.where("settled_at", "is", null)
		.where("expires_at", ">", now)
		.orderBy("created_at")
		.orderBy("id")
		.execute();
	return rows.map(toPairingFacts);
}

/** A valid code of either kind: by its id, or by the hash of its code. */
export async function findOpenPairing(
	tx: Tx,
	named: { readonly id: string; readonly hash: string },
	now: number,
): Promise<PairingFacts | undefined> {
	const row = await tx
		.selectFrom("pairings")
		.select(listed)
		.where((eb) => eb.or([eb("id", "=", named.id), eb("code_hash", "=", named.hash)]))
		.where("settled_at", "is", null)
		.where("expires_at", ">", now)
		.executeTakeFirst();
	return row && toPairingFacts(row);
}

function toPairingFacts(
	row: OpenPairing & { readonly kind: Kind; readonly created_at: number },
): PairingFacts {
	const { id, kind, platform, tenant, user_id, name, role } = row;
	return {
		id,
		kind,
		...defined({
			platform: platform ?? undefined,
			tenant: tenant ?? undefined,
			person: user_id === null ? undefined : `${platform}:${tenant}:${user_id}`,
			name: name ?? undefined,
			role: role ?? undefined,
		}),
		createdAt: Number(row.created_at),
		expiresAt: Number(row.expires_at),
	};
}

/** Open access requests of a guild or team. */
export function waitingIn(
	tx: Tx,
	{ platform, tenant }: { readonly platform: string; readonly tenant: string },
	now: number,
): Promise<OpenPairing[]> {
	return tx
		.selectFrom("pairings")
		.select(facts)
		.where("kind", "=", "request")
		.where("platform", "=", platform)
		.where("tenant", "=", tenant)
		.where("settled_at", "is", null)
		.where("expires_at", ">", now)
		.execute();
}

/** Uses the code. Returns false if another person was first. */
export async function settlePairing(tx: Tx, id: string, now: number): Promise<boolean> {
	const settled = await tx
		.updateTable("pairings")
		.set({ settled_at: now })
		.where("id", "=", id)
		.where("settled_at", "is", null)
		.executeTakeFirst();
	return settled.numUpdatedRows === 1n;
}

/** Unused code. */
export interface PairingFacts {
	/** Identifies the code without revealing it. */
	readonly id: string;
	/** An invitation of the operator, or an access request. */
	readonly kind: "invitation" | "request";
	/** Scope of its validity. An invitation without a platform is valid everywhere. */
	readonly platform?: string;
	readonly tenant?: string;
	readonly person?: string;
	readonly name?: string;
	/** Role that an invitation gives. */
	readonly role?: GivenRole;
	readonly createdAt: number;
	readonly expiresAt: number;
}
