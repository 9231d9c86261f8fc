import { type Clock, ParleyError } from "@parley/base";
import canonicalize from "canonicalize";
import type { Principal } from "../vocabulary/principal.ts";
import { fromRow, type Tx } from "./journal.ts";
import { stamp } from "./tables.ts";
import { journalTexts } from "./texts.ts";

/** Lifetime of a stored response. A client that did not receive the response can repeat the request within 72 hours. */
const keyLifeMs = 72 * 60 * 60 * 1000;

/**
 * Principal, key, method and parameters of a request. A client must not use the key of one request for a different
 * request.
 */
export interface Keyed {
	readonly principal: Principal;
	readonly key: string | undefined;
	readonly method: string;
	readonly params: unknown;
}

export interface KeyedOutcome<T> {
	readonly response: T;
	/**
	 * Whether an earlier request with the same key was already executed. If so, the repeated request changed no rows.
	 */
	readonly repeated: boolean;
}

export interface KeyServices {
	readonly clock: Clock;
	/**
	 * Returns a keyed hash of a text. The text contains the parameters of a request, and possibly a password. Because
	 * the hash has a key, an attacker who reads the hash cannot guess the text offline.
	 */
	readonly fingerprint: (text: string) => string;
}

/**
 * Runs `work` and stores its response under the key, in one transaction. A repeated request gets the stored response.
 * Without a key, `work` always runs. Throws like `answerOf`.
 */
export async function once<T>(
	tx: Tx,
	request: Keyed,
	deps: KeyServices,
	work: () => Promise<T>,
): Promise<KeyedOutcome<T>> {
	const { key, principal } = request;
	if (key === undefined) return { response: await work(), repeated: false };
	const known = await answerOf<T>(tx, request, deps);
	if (known) return known;
	const response = await work();
	const row = {
		principal: principal.id,
		key,
		request: deps.fingerprint(canonical(request)),
		response: JSON.stringify(response ?? null),
	};
	await tx
		.insertInto("keys")
		.values({ ...row, created_at: deps.clock.now(), ...stamp })
		.execute();
	return { response, repeated: false };
}

/**
 * Returns the stored response to the principal's earlier request with the key of `request`. Returns undefined if there
 * is no key or no stored response. Throws `invalid_argument` if the earlier request had a different method or different
 * parameters.
 */
export async function answerOf<T>(
	db: Tx,
	request: Keyed,
	{ fingerprint }: { readonly fingerprint: (text: string) => string },
): Promise<KeyedOutcome<T> | undefined> {
	const { key, principal } = request;
	if (key === undefined) return undefined;
	const known = await db
		.selectFrom("keys")
		.select(["request", "response"])
		.where("principal", "=", principal.id)
		.where("key", "=", key)
		.executeTakeFirst();
	if (!known) return undefined;
	if (known.request === fingerprint(canonical(request))) {
		return { response: fromRow<T>(known.response), repeated: true };
	}
	throw new ParleyError(journalTexts.keyReused(key), { code: "invalid_argument" });
}

/**
 * Whether a response to a request of the principal with the key `key` is stored. The method and the parameters of that
 * request are not compared.
 */
export async function knowsKey(db: Tx, { id }: Principal, key: string | undefined): Promise<boolean> {
	if (key === undefined) return false;
	const known = db.selectFrom("keys").select("key").where("principal", "=", id).where("key", "=", key);
	return (await known.executeTakeFirst()) !== undefined;
}

export async function forgetKeys(tx: Tx, now: number): Promise<void> {
	await tx
		.deleteFrom("keys")
		.where("created_at", "<", now - keyLifeMs)
		.execute();
}

function canonical({ method, params }: Keyed): string {
	return canonicalize({ method, params }) ?? "";
}
