import { defined, hotStatement, ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import { fromRow, type Tx } from "../../store/journal.ts";
import { stamp, type Tables } from "../../store/tables.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import type { NewToken, TokenKind } from "./new-token.ts";
import { tokenTexts } from "./texts.ts";
import type { LiveToken } from "./token-register.ts";

export type TokenRow = Selectable<Tables["tokens"]>;

/** A token without its secret. Times are milliseconds since the epoch. */
export interface TokenFacts {
	readonly id: string;
	readonly kind: TokenKind;
	readonly name: string;
	readonly platform?: string;
	/** For a connector, its guilds or teams. If absent, all guilds or teams of its platform. */
	readonly tenants?: readonly string[];
	/** For an observer, the sessions that it may read. If absent, all sessions. */
	readonly sessions?: readonly string[];
	readonly createdAt: number;
	readonly lastUsedAt?: number;
	readonly expiresAt?: number;
	readonly revokedAt?: number;
}

export const touchToken = hotStatement<Tables, { id: string; at: number }>((db, p) =>
	db
		.updateTable("tokens")
		.set({ last_used_at: p("at") })
		.where("id", "=", p("id")),
);

/**
 * Returns the valid tokens, newest first. Tokens with the same creation time are sorted by expiry, latest
 * first.
 */
export async function readLive(tx: Tx, now: number): Promise<TokenRow[]> {
	const rows = await tx.selectFrom("tokens").selectAll().where("revoked_at", "is", null).execute();
	return rows.filter((row) => tokenExpiry(row) > now).sort(byAge);
}

/** Returns the tokens that are valid, or that ended after `since`. */
export async function readSince(tx: Tx, since: number): Promise<TokenRow[]> {
	const rows = await tx.selectFrom("tokens").selectAll().execute();
	return rows.filter((row) => Math.min(tokenExpiry(row), revocationOf(row)) > since).sort(byAge);
}

/** Returns the row of a new token. `hash` is the hash of the token's secret. */
export function newRow(
	{ kind, name, platform, tenants, sessions }: NewToken,
	{ id, hash }: { readonly id: string; readonly hash: Buffer },
	{ now, lifeMs }: { readonly now: number; readonly lifeMs: number | undefined },
): TokenRow {
	return {
		id,
		kind,
		name,
		hash: hash.toString("hex"),
		platform: platform ?? null,
		tenants: tenants ? JSON.stringify([...new Set(tenants)]) : null,
		sessions: sessions ? JSON.stringify([...new Set(sessions)]) : null,
		created_at: now,
		last_used_at: null,
		revoked_at: null,
		expires_at: lifeMs === undefined ? null : now + lifeMs,
		...stamp,
	};
}

/**
 * Finds a token by its id, its name, or at least 4 first characters of its id. If several tokens have the
 * name, returns the newest. Throws `invalid_argument` if no token or several ids match.
 */
export function findToken(live: readonly TokenRow[], target: string): TokenRow {
	const exact = live.find(({ id }) => id === target) ?? live.find(({ name }) => name === target);
	if (exact) return exact;
	const beginning = live.filter(({ id }) => target.length >= 4 && id.startsWith(target));
	const [match, ...others] = beginning;
	if (match && others.length === 0) return match;
	const problem = match ? tokenTexts.ambiguous(target, beginning) : tokenTexts.none(target);
	throw new ParleyError(problem, { code: "invalid_argument" });
}

/** Revokes a token immediately if `graceMs` is 0. Otherwise, lets the token expire after `graceMs`. */
export async function endRow(tx: Tx, { id }: TokenRow, now: number, graceMs: number): Promise<void> {
	const change = graceMs === 0 ? { revoked_at: now } : { expires_at: now + graceMs };
	await tx.updateTable("tokens").set(change).where("id", "=", id).execute();
}

export function tokenFacts(row: TokenRow): TokenFacts {
	const { id, kind, name, platform, tenants, sessions } = row;
	return {
		id,
		kind,
		name,
		createdAt: Number(row.created_at),
		...defined({
			platform: platform ?? undefined,
			tenants: tenants === null ? undefined : fromRow<string[]>(tenants),
			sessions: sessions === null ? undefined : fromRow<string[]>(sessions),
			lastUsedAt: row.last_used_at === null ? undefined : Number(row.last_used_at),
			expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
			revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
		}),
	};
}

export function toLive(row: TokenRow): LiveToken {
	return {
		id: row.id,
		kind: row.kind,
		hash: Buffer.from(row.hash, "hex"),
		principal: principalOf(row),
		expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
		lastUsedAt: row.last_used_at === null ? undefined : Number(row.last_used_at),
	};
}

function principalOf(row: TokenRow): Principal {
	const { sessions, platform } = tokenFacts(row);
	switch (row.kind) {
		case "operator":
			return { id: "operator", kind: "operator", tokenId: row.id };
		case "observer":
			return { id: `observer:${row.name}`, kind: "observer", tokenId: row.id, sessions: sessions ?? "all" };
		case "connector":
			return { id: `connector:${row.name}`, kind: "connector", tokenId: row.id, ...defined({ platform }) };
	}
}

/** Returns the lifetime of the token in milliseconds, or undefined if it does not expire. */
export function lifeOfRow({ created_at, expires_at }: TokenRow): number | undefined {
	return expires_at === null ? undefined : Number(expires_at) - Number(created_at);
}

export function tokenExpiry({ expires_at }: TokenRow): number {
	return expires_at === null ? Number.POSITIVE_INFINITY : Number(expires_at);
}

function revocationOf({ revoked_at }: TokenRow): number {
	return revoked_at === null ? Number.POSITIVE_INFINITY : Number(revoked_at);
}

function byAge(a: TokenRow, b: TokenRow): number {
	return Number(b.created_at) - Number(a.created_at) || compare(tokenExpiry(b), tokenExpiry(a));
}

function compare(a: number, b: number): number {
	return a === b ? 0 : a < b ? -1 : 1;
}
