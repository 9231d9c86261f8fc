import { defined } from "@parley/base";
import type { Tx } from "../../store/journal.ts";
import { stamp } from "../../store/tables.ts";
import type { AssignableRole } from "./person-rows.ts";

/** Maximum open access requests of a guild or team. */
export const maxWaiting = 3;

/** A code that is still valid. */
export interface OpenPairing {
	readonly id: string;
	readonly platform: string | null;
	readonly tenant: string | null;
	readonly user_id: string | null;
	readonly name: string | null;
	readonly role: AssignableRole | null;
	readonly expires_at: number;
}

type Kind = PairingFacts["kind"];

const facts = ["id", "platform", "tenant", "user_id", "name", "role", "expires_at"] as const;

const listed = [...facts, "kind", "created_at"] as const;

/** Milliseconds for which an expired code stays stored, so that a person who uses the code learns that it has expired. */
const rememberedMs = 7 * 24 * 60 * 60 * 1000;

/** Inserts a code, and deletes codes that expired more than a week ago. */
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

/** Returns the valid code of kind `kind` with this hash, or undefined. */
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

/** An issued code, which may be used or expired. */
export interface IssuedPairing extends OpenPairing {
	readonly kind: Kind;
	/** Time when the code was used or withdrawn. Null for any other code. */
	readonly settled_at: number | null;
}

/**
 * Returns the code with this hash, valid or not. Returns undefined if no such code was issued, or if the code expired and
 * was deleted.
 */
export function findIssuedPairing(tx: Tx, hash: string): Promise<IssuedPairing | undefined> {
	return tx
		.selectFrom("pairings")
		.select([...facts, "kind", "settled_at"])
		.where("code_hash", "=", hash)
		.executeTakeFirst();
}

/** Returns all valid codes, oldest first. */
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

/** Finds a valid code of either kind, by its id or by the hash of the code. */
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

/** Returns the open access requests of a guild or team. */
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

/** Marks the code as used or withdrawn. Returns false if the code was already used or withdrawn. */
export async function settlePairing(tx: Tx, id: string, now: number): Promise<boolean> {
	const settled = await tx
		.updateTable("pairings")
		.set({ settled_at: now })
		.where("id", "=", id)
		.where("settled_at", "is", null)
		.executeTakeFirst();
	return settled.numUpdatedRows === 1n;
}

/** Facts about a valid code. */
export interface PairingFacts {
	/** Id of the pairing. It does not reveal the code. */
	readonly id: string;
	/** An invitation of the operator, or an access request. */
	readonly kind: "invitation" | "request";
	/** Scope of the code. An invitation without a platform is valid on every platform. */
	readonly platform?: string;
	readonly tenant?: string;
	readonly person?: string;
	readonly name?: string;
	/** Role that an invitation grants. */
	readonly role?: AssignableRole;
	readonly createdAt: number;
	readonly expiresAt: number;
}
