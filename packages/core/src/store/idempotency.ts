import { type Clock, ParleyError } from "@parley/base";
import canonicalize from "canonicalize";
import type { Principal } from "../vocabulary/principal.ts";
import { fromRow, type Tx } from "./journal.ts";
import { stamp } from "./tables.ts";
import { journalTexts } from "./texts.ts";

/** Lifetime of a stored response. A client that lost the response can repeat the request within this time. */
const keyLifeMs = 72 * 60 * 60 * 1000;

/** Principal, key, method and parameters of a request. A client must not use the same key for another request. */
export interface Keyed {
	readonly principal: Principal;
	readonly key: string | undefined;
	readonly method: string;
	readonly params: unknown;
}

export interface KeyedOutcome<T> {
	readonly response: T;
	/** Whether an earlier request with the same key had the effect. If so, this request changed no rows. */
	readonly repeated: boolean;
}

export interface KeyServices {
	readonly clock: Clock;
	/**
	 * Returns a keyed hash of a text. The parameters may include a password, so an attacker must not be able to guess
	 * them offline from the hash.
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
 * Returns the stored response to the principal's first request with this key. Returns undefined if there is no key or
 * no stored response. Throws `invalid_argument` if the key was used for another request.
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

/** Whether a response is stored for the principal's key, with the same or other parameters. */
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
