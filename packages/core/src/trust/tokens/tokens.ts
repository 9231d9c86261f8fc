import { mintToken, ParleyError, readTokenText, type TokenText } from "@parley/base";
import { answerOf, type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { stamp } from "../../store/tables.ts";
import { authorize, unknownSession } from "../../vocabulary/authorize.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import { type AuditEntry, byItself, requestedBy } from "../audit/audit.ts";
import type { OperatorTokenFile, TrustOptions } from "../shared/trust-options.ts";
import { checkNewToken, lifeOf, type NewToken, operatorsName, type TokenKind } from "./new-token.ts";
import { tokenTexts } from "./texts.ts";
import { TokenRegister } from "./token-register.ts";
import {
	endRow,
	findToken,
	lifeOfRow,
	newRow,
	readLive,
	readSince,
	type TokenFacts,
	type TokenRow,
	tokenExpiry,
	tokenFacts,
	toLive,
	touchToken,
} from "./token-rows.ts";

/** Text of a new token, and its facts. The database does not contain the text. */
export interface CreatedToken {
	readonly text: string;
	readonly facts: TokenFacts;
}

type TokensOptions = Pick<
	TrustOptions,
	"store" | "clock" | "ids" | "log" | "audit" | "secrets" | "operatorToken"
>;

interface Minted {
	readonly text: string;
	readonly id: string;
	readonly hash: Buffer;
}

/** Milliseconds for which a token stays in lists after its end. */
const listedMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Manages the operator's own token and the tokens that were created at run time. The text of the operator's own token is
 * in a file. The text of any other token is only in the result of `create` or `rotate`.
 */
export class Tokens {
	readonly #options: TokensOptions;
	readonly #register: TokenRegister;
	readonly #keys: Parameters<typeof once>[2];
	/** Latest rotation of the operator's token. The next rotation waits for the end of this rotation. */
	#rotating: Promise<unknown> = Promise.resolve();

	constructor(options: TokensOptions) {
		const { clock, secrets } = options;
		this.#options = options;
		this.#keys = { clock, fingerprint: (text) => secrets.fingerprint(text) };
		this.#register = new TokenRegister({ clock, onUsed: (id, at) => void this.#touch(id, at) });
	}

	/** Loads the tokens from the database before the gateway serves requests. Activates the token in the operator's file. */
	async load(): Promise<void> {
		const { store, operatorToken } = this.#options;
		const own = operatorToken && readTokenText(await operatorToken.read());
		const find = (db: Tx): Promise<TokenRow[]> => readLive(db, this.#now);
		let live = await store.read(find);
		const isKnown = live.some(({ id, hash, name, expires_at }) => {
			const isOwn = name === operatorsName && expires_at === null;
			return isOwn && id === own?.id && hash === own.hash.toString("hex");
		});
		if (own && !isKnown) {
			live = await store.commit(async (tx) => {
				const others = await adoptToken(tx, own, this.#now);
				const entry = { ...byItself, action: "token.adopt", object: own.id, decision: "allowed" };
				// The first token replaces no other token, so the audit gets no row.
				if (others.length > 0) await this.#options.audit.record(tx, entry);
				return find(tx);
			});
		}
		for (const row of live) this.#register.add(toLive(row));
	}

	/** Returns the principal of the token with this text, or undefined if the token is unknown, expired or revoked. */
	verify(text: string): Principal | undefined {
		return this.#register.verify(text);
	}

	/**
	 * Whether a client with this token may stay connected. False if the token was revoked, has expired, or was replaced
	 * and its grace period is over.
	 */
	counts(tokenId: string): boolean {
		return this.#register.counts(tokenId);
	}

	/** Calls the listener with the id of each token that ends. Returns a function that removes the listener. */
	onEnd(listener: (tokenId: string) => void): () => void {
		return this.#register.onEnd(listener);
	}

	/**
	 * Creates a token. Throws:
	 * - `already_exists` if a valid token has the name, or if an earlier request with the same key created a token
	 * - `invalid_argument` if the name or a field is not allowed
	 * - `not_found` if one of `sessions` does not exist
	 */
	async create(request: Keyed, requested: NewToken): Promise<CreatedToken> {
		const { principal } = request;
		authorize(principal, "token.manage");
		checkNewToken(requested);
		const { text, ...minted } = this.#mint(requested.kind);
		const row = newRow(requested, minted, { now: this.#now, lifeMs: lifeOf(requested) });
		const args = {
			kind: requested.kind,
			name: requested.name,
			platform: requested.platform,
			tenants: requested.tenants,
		};
		await this.#change(request, async (tx) => {
			await insertToken(tx, row, requested, actingId(principal));
			await this.#note(tx, principal, { action: "token.create", object: row.id, args });
		});
		this.#register.add(toLive(row));
		return { text, facts: tokenFacts(row) };
	}

	/** Returns the valid tokens and the tokens that ended within the last 30 days. The newest token is first. */
	async list(principal: Principal): Promise<readonly TokenFacts[]> {
		authorize(principal, "token.manage");
		return (await this.#options.store.read((db) => readSince(db, this.#now - listedMs))).map(tokenFacts);
	}

	/**
	 * Replaces the text of a token and preserves the token's permissions. The old text stays valid for `graceMs`, at most
	 * ten minutes. For the operator's own token, also replaces the file. Throws:
	 * - `invalid_argument` if `graceMs` is not allowed, or if no valid token matches `target`
	 * - `already_exists` if the request's key was already used
	 * - `failed_precondition` if the token was already replaced
	 */
	async rotate(request: Keyed, target: string, graceMs: number): Promise<CreatedToken> {
		authorize(request.principal, "token.manage");
		checkGrace(graceMs);
		const { store, operatorToken } = this.#options;
		const { kind, name } = findToken(await store.read((db) => readLive(db, this.#now)), target);
		const { text, ...minted } = this.#mint(kind);
		const rotate = (): Promise<CreatedToken> => this.#rotate(request, target, { text, ...minted, graceMs });
		if (name !== operatorsName || !operatorToken) return rotate();
		const rotated = this.#rotating.then(async () => {
			if (await store.read((db) => answerOf(db, request, this.#keys))) throw keyAlreadyUsed(request);
			return replacing(operatorToken, text, rotate);
		});
		this.#rotating = rotated.catch(() => undefined);
		return rotated;
	}

	/**
	 * Revokes a token. If `target` is a name, also revokes older tokens with this name that are still valid. A repeated key
	 * changes nothing. Throws `failed_precondition` for the operator's own token.
	 */
	async revoke(request: Keyed, target: string): Promise<TokenFacts> {
		const { principal } = request;
		authorize(principal, "token.manage");
		const { response } = await this.#options.store.commit((tx) =>
			once(tx, request, this.#keys, async () => {
				const revokedAt = this.#now;
				const [found, ...others] = await revokeToken(tx, target, revokedAt);
				const ended = [found.id, ...others.map(({ id }) => id)];
				for (const id of ended) await this.#note(tx, principal, { action: "token.revoke", object: id });
				return { facts: { ...tokenFacts(found), revokedAt }, ended };
			}),
		);
		for (const id of response.ended) this.#register.end(id);
		return response.facts;
	}

	async #rotate(
		request: Keyed,
		target: string,
		{ text, graceMs, ...minted }: Minted & { readonly graceMs: number },
	): Promise<CreatedToken> {
		const { fresh, old, until } = await this.#change<Rotation>(request, async (tx) => {
			const rotation = await rotateToken(tx, target, minted, { now: this.#now, graceMs });
			const args = { replaces: rotation.old.map(({ id }) => id), grace_seconds: graceMs / 1000 };
			await this.#note(tx, request.principal, { action: "token.rotate", object: minted.id, args });
			return rotation;
		});
		this.#register.add(toLive(fresh));
		for (const { id } of old) {
			if (graceMs === 0) this.#register.end(id);
			else this.#register.limit(id, until);
		}
		return { text, facts: tokenFacts(fresh) };
	}

	/**
	 * Runs `work` in a transaction and resolves with its result. Refuses a repeated key, because the token text
	 * is not stored and cannot be returned again.
	 */
	#change<T>(request: Keyed, work: (tx: Tx) => Promise<T>): Promise<T> {
		return this.#options.store.commit(async (tx) => {
			const done: T[] = [];
			await once(tx, request, this.#keys, async () => {
				done.push(await work(tx));
				return null;
			});
			for (const result of done) return result;
			throw keyAlreadyUsed(request);
		});
	}

	#note(tx: Tx, by: Principal, entry: Pick<AuditEntry, "action" | "object" | "args">): Promise<void> {
		return this.#options.audit.record(tx, { ...requestedBy(by), decision: "allowed", ...entry });
	}

	#mint(kind: TokenKind): Minted {
		const text = mintToken(kind, this.#options.ids);
		const read = readTokenText(text);
		if (!read) throw new ParleyError(tokenTexts.invalid, { code: "internal" });
		return { text, id: read.id, hash: read.hash };
	}

	async #touch(id: string, at: number): Promise<void> {
		const { store, log } = this.#options;
		try {
			await store.commit((tx) => touchToken(tx, { id, at }));
		} catch (error) {
			log.warn(tokenTexts.useNotStored, { id, error });
		}
	}

	get #now(): number {
		return this.#options.clock.now();
	}
}

function keyAlreadyUsed({ key }: Keyed): ParleyError {
	return new ParleyError(tokenTexts.keyUsed(key), { code: "already_exists" });
}

/** Maximum grace period, long enough to copy the new token to another machine. */
const maxGraceMs = 10 * 60 * 1000;

/** Inserts a token and its tenants. Throws as `checkName` does, and `not_found` if a session does not exist. */
async function insertToken(tx: Tx, row: TokenRow, requested: NewToken, by: string): Promise<void> {
	await checkName(tx, row);
	await checkSessions(tx, requested.sessions ?? []);
	await tx.insertInto("tokens").values(row).execute();
	const { platform, tenants = [] } = requested;
	if (platform === undefined || tenants.length === 0) return;
	const common = { platform, added_by: by, created_at: row.created_at, ...stamp };
	await tx
		.insertInto("tenants")
		.values(tenants.map((tenant) => ({ ...common, tenant })))
		.onConflict((known) => known.columns(["platform", "tenant"]).doNothing())
		.execute();
}

interface Rotation {
	readonly fresh: TokenRow;
	/** Replaced tokens. They are valid at most until `until`. */
	readonly old: readonly TokenRow[];
	readonly until: number;
}

async function rotateToken(
	tx: Tx,
	target: string,
	minted: Pick<TokenText, "id" | "hash">,
	{ now, graceMs }: { readonly now: number; readonly graceMs: number },
): Promise<Rotation> {
	const live = await readLive(tx, now);
	const replaced = findToken(live, target);
	const old = live.filter(({ name }) => name === replaced.name);
	if (old[0] !== replaced) {
		throw new ParleyError(tokenTexts.replaced(replaced.id, replaced.name), {
			code: "failed_precondition",
		});
	}
	const until = now + graceMs;
	for (const row of old) if (graceMs === 0 || tokenExpiry(row) > until) await endRow(tx, row, now, graceMs);
	const lifeMs = lifeOfRow(replaced);
	const fresh = {
		...replaced,
		id: minted.id,
		hash: minted.hash.toString("hex"),
		created_at: now,
		last_used_at: null,
		expires_at: lifeMs === undefined ? null : now + lifeMs,
	};
	await tx.insertInto("tokens").values(fresh).execute();
	return { fresh, old, until };
}

/**
 * Revokes the valid token with the name or id `target`, or with an id that begins with `target`. If `target` is a name,
 * also revokes older tokens with this name. Returns the revoked tokens.
 */
async function revokeToken(tx: Tx, target: string, now: number): Promise<readonly [TokenRow, ...TokenRow[]]> {
	const live = await readLive(tx, now);
	const found = findToken(live, target);
	if (found.name === operatorsName) {
		throw new ParleyError(tokenTexts.notRevocable, {
			code: "failed_precondition",
		});
	}
	const others = live.filter(({ id, name }) => name === target && id !== found.id);
	for (const row of [found, ...others]) await endRow(tx, row, now, 0);
	return [found, ...others];
}

/** Stores the operator's token, and revokes the tokens that it replaces. Returns the revoked tokens. */
async function adoptToken(tx: Tx, { id, hash }: TokenText, now: number): Promise<readonly TokenRow[]> {
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

function checkGrace(graceMs: number): void {
	if (graceMs >= 0 && graceMs <= maxGraceMs) return;
	throw new ParleyError(tokenTexts.grace(graceMs), {
		code: "invalid_argument",
	});
}

/**
 * Throws `already_exists` if a valid token has the name. Throws `invalid_argument` if the name belonged to a connector
 * of a different platform, because a name identifies a principal.
 */
async function checkName(tx: Tx, { kind, name, platform, created_at }: TokenRow): Promise<void> {
	if ((await readLive(tx, created_at)).some((row) => row.name === name)) {
		const hint = tokenTexts.otherName(name);
		throw new ParleyError(tokenTexts.exists(name, hint), { code: "already_exists" });
	}
	const known = await tx.selectFrom("tokens").select(["kind", "platform"]).where("name", "=", name).execute();
	const other = known.find((row) => row.kind === kind && row.platform !== platform);
	if (!other) return;
	throw new ParleyError(tokenTexts.otherPlatform(name, other.platform), {
		code: "invalid_argument",
	});
}

async function checkSessions(tx: Tx, ids: readonly string[]): Promise<void> {
	if (ids.length === 0) return;
	const rows = await tx.selectFrom("sessions").select("id").where("id", "in", ids).execute();
	const known = new Set(rows.map(({ id }) => id));
	const missing = ids.find((id) => !known.has(id));
	if (missing !== undefined) throw unknownSession(missing);
}

/** Replaces the text of the file, then runs `work`. Restores the old text if `work` fails. */
async function replacing<T>(file: OperatorTokenFile, text: string, work: () => Promise<T>): Promise<T> {
	const before = await file.read();
	// The content of the file becomes valid at the next start, so an interruption before `work` ends loses
	// nothing.
	await file.replace(text);
	try {
		return await work();
	} catch (reason) {
		await file.replace(before);
		throw reason;
	}
}
