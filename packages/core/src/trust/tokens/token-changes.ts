import { ParleyError, type TokenText } from "@parley/base";
import type { Tx } from "../../store/journal.ts";
import { stamp } from "../../store/tables.ts";
import { endOf, endRow, findMeant, lifeOfRow, newRow, readLive, type TokenRow } from "./token-rows.ts";
import { type NewToken, operatorsName } from "./token-wish.ts";

/** Ten minutes: long enough to carry a text to another machine. */
const mostGraceMs = 10 * 60 * 1000;

/** Writes a token that nobody has yet. Throws where its name or what it is bound to cannot be. */
export async function insertToken(tx: Tx, row: TokenRow, wish: NewToken, by: string): Promise<void> {
	await checkName(tx, row);
	await checkSessions(tx, wish.sessions ?? []);
	await tx.insertInto("tokens").values(row).execute();
	const { platform, tenants = [] } = wish;
	if (platform === undefined || tenants.length === 0) return;
	const made = { platform, added_by: by, created_at: row.created_at, ...stamp };
	await tx
		.insertInto("tenants")
		.values(tenants.map((tenant) => ({ ...made, tenant })))
		.onConflict((known) => known.columns(["platform", "tenant"]).doNothing())
		.execute();
}

/** What a rotation did. */
export interface Rotation {
	readonly fresh: TokenRow;
	/** The tokens that it replaces count until then. */
	readonly old: readonly TokenRow[];
	readonly until: number;
}

/** Gives the rights of a token to another text. */
export async function rotateToken(
	tx: Tx,
	meant: string,
	made: Pick<TokenText, "id" | "hash">,
	{ now, graceMs }: { readonly now: number; readonly graceMs: number },
): Promise<Rotation> {
	const live = await readLive(tx, now);
	const replaced = findMeant(live, meant);
	const old = live.filter(({ name }) => name === replaced.name);
	if (old[0] !== replaced) {
		throw new ParleyError(`token ${replaced.id} was replaced already; parley token rotate ${replaced.name}`, {
			code: "failed_precondition",
		});
	}
	const until = now + graceMs;
	for (const row of old) if (graceMs === 0 || endOf(row) > until) await endRow(tx, row, now, graceMs);
	const lifeMs = lifeOfRow(replaced);
	const fresh = {
		...replaced,
		...{ id: made.id, hash: made.hash.toString("hex"), created_at: now, last_used_at: null },
		expires_at: lifeMs === undefined ? null : now + lifeMs,
	};
	await tx.insertInto("tokens").values(fresh).execute();
	return { fresh, old, until };
}

/** Ends a token: by its name, also what that has replaced and still counts. */
export async function revokeToken(
	tx: Tx,
	meant: string,
	now: number,
): Promise<readonly [TokenRow, ...TokenRow[]]> {
	const live = await readLive(tx, now);
	const found = findMeant(live, meant);
	if (found.name === operatorsName) {
		throw new ParleyError("the token of the data directory is replaced: parley token rotate operator", {
			code: "failed_precondition",
		});
	}
	const others = live.filter(({ id, name }) => name === meant && id !== found.id);
	for (const row of [found, ...others]) await endRow(tx, row, now, 0);
	return [found, ...others];
}

/** Puts the token in force that the operator's file holds, and ends what was in force instead. */
export async function adoptToken(tx: Tx, { id, hash }: TokenText, now: number): Promise<readonly TokenRow[]> {
	const others = (await readLive(tx, now)).filter(
		(row) => row.name === operatorsName && row.id !== id && row.expires_at === null,
	);
	for (const row of others) await endRow(tx, row, now, 0);
	const row = newRow({ kind: "operator", name: operatorsName }, { id, hash }, { now, lifeMs: undefined });
	const { created_at, last_used_at, ...found } = row;
	await tx
		.insertInto("tokens")
		.values({ ...found, created_at, last_used_at })
		.onConflict((known) => known.column("id").doUpdateSet(found))
		.execute();
	return others;
}

/** Throws `invalid_argument` for a time that an old text may not count on. */
export function checkGrace(graceMs: number): void {
	if (graceMs >= 0 && graceMs <= mostGraceMs) return;
	throw new ParleyError(`a grace of ${graceMs} ms is not possible: 0 to ten minutes`, {
		code: "invalid_argument",
	});
}

/** A name says who somebody is: it never comes to mean a connector of another platform. */
async function checkName(tx: Tx, { kind, name, platform, created_at }: TokenRow): Promise<void> {
	if ((await readLive(tx, created_at)).some((row) => row.name === name)) {
		const hint = `choose another name, or replace it: parley token rotate ${name}`;
		throw new ParleyError(`there is a token named ${name}: ${hint}`, { code: "already_exists" });
	}
	const known = await tx.selectFrom("tokens").select(["kind", "platform"]).where("name", "=", name).execute();
	const other = known.find((row) => row.kind === kind && row.platform !== platform);
	if (!other) return;
	throw new ParleyError(`${name} was a connector of ${other.platform}; choose another name`, {
		code: "invalid_argument",
	});
}

async function checkSessions(tx: Tx, ids: readonly string[]): Promise<void> {
	if (ids.length === 0) return;
	const rows = await tx.selectFrom("sessions").select("id").where("id", "in", ids).execute();
	const known = new Set(rows.map(({ id }) => id));
	const missing = ids.find((id) => !known.has(id));
	if (missing !== undefined) throw new ParleyError(`session not found: ${missing}`, { code: "not_found" });
}
