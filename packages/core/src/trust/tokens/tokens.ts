import { mintToken, ParleyError, readTokenText } from "@parley/base";
import { answerOf, type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import { type AuditEntry, askedBy, byItself } from "../audit/audit.ts";
import type { TrustOptions } from "../shared/trust-options.ts";
import {
	adoptToken,
	checkGrace,
	insertToken,
	type Rotation,
	revokeToken,
	rotateToken,
} from "./token-changes.ts";
import { replacing } from "./token-file.ts";
import { TokenRegister } from "./token-register.ts";
import {
	factsOf,
	findMeant,
	newRow,
	readLive,
	readSince,
	type TokenFacts,
	type TokenRow,
	toLive,
	touchToken,
} from "./token-rows.ts";
import { checkWish, lifeOf, type NewToken, operatorsName, type TokenKind } from "./token-wish.ts";

/** The text of a token, which is nowhere else, and what is known of it. */
export interface MadeToken {
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
	/** Of its secret. */
	readonly hash: Buffer;
}

/** How long tokens that count no longer are still listed. */
const listedMs = 30 * 24 * 60 * 60 * 1000;

/**
 * The tokens that were made at run time, and the operator's own, whose text stands in a file. Of the others the text is
 * in the answer that made it, and nowhere else.
 */
export class Tokens {
	readonly #options: TokensOptions;
	readonly #register: TokenRegister;
	readonly #keys: Parameters<typeof once>[2];
	/** Rotations of the file's token come one after the other. */
	#rotating: Promise<unknown> = Promise.resolve();

	constructor(options: TokensOptions) {
		const { clock, secrets } = options;
		this.#options = options;
		this.#keys = { clock, fingerprint: (text) => secrets.fingerprint(text) };
		this.#register = new TokenRegister({ clock, onUsed: (id, at) => void this.#touch(id, at) });
	}

	/** Learns what the database holds, before anybody is let in. What the operator's file holds is in force. */
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
				// The first one replaces nothing: there is nothing to tell.
				if (others.length > 0) await this.#options.audit.record(tx, entry);
				return find(tx);
			});
		}
		for (const row of live) this.#register.add(toLive(row));
	}

	/** Whose token this text is at this moment; undefined for one that is unknown, expired or revoked. */
	verify(text: string): Principal | undefined {
		return this.#register.verify(text);
	}

	/** Whether who came with this token may stay: not once it was revoked, was replaced or has expired. */
	counts(tokenId: string): boolean {
		return this.#register.counts(tokenId);
	}

	/** Calls with the id of each token that counts no longer, until what is returned is called. */
	onEnd(listener: (tokenId: string) => void): () => void {
		return this.#register.onEnd(listener);
	}

	/** Throws `already_exists` for a name that is in use, and where the key has made a token before. */
	async create(request: Keyed, wish: NewToken): Promise<MadeToken> {
		const { principal } = request;
		authorize(principal, "token.manage");
		checkWish(wish);
		const { text, ...made } = this.#mint(wish.kind);
		const row = newRow(wish, made, { now: this.#now, lifeMs: lifeOf(wish) });
		const args = { kind: wish.kind, name: wish.name, platform: wish.platform, tenants: wish.tenants };
		await this.#change(request, async (tx) => {
			await insertToken(tx, row, wish, actingId(principal));
			await this.#note(tx, principal, { action: "token.create", object: row.id, args });
		});
		this.#register.add(toLive(row));
		return { text, facts: factsOf(row) };
	}

	/** Those that count and those that ended within 30 days, newest first. */
	async list(principal: Principal): Promise<readonly TokenFacts[]> {
		authorize(principal, "token.manage");
		return (await this.#options.store.read((db) => readSince(db, this.#now - listedMs))).map(factsOf);
	}

	/**
	 * The same rights under another text; the old one counts for `graceMs` more, at most ten minutes. Of the operator's own
	 * token the file is replaced. Throws `already_exists` where the key has done so before.
	 */
	async rotate(request: Keyed, meant: string, graceMs: number): Promise<MadeToken> {
		authorize(request.principal, "token.manage");
		checkGrace(graceMs);
		const { store, operatorToken } = this.#options;
		const { kind, name } = findMeant(await store.read((db) => readLive(db, this.#now)), meant);
		const { text, ...made } = this.#mint(kind);
		const rotate = (): Promise<MadeToken> => this.#rotate(request, meant, { text, ...made, graceMs });
		if (name !== operatorsName || !operatorToken) return rotate();
		const rotated = this.#rotating.then(async () => {
			if (await store.read((db) => answerOf(db, request, this.#keys))) throw madeBefore(request);
			return replacing(operatorToken, text, rotate);
		});
		this.#rotating = rotated.catch(() => undefined);
		return rotated;
	}

	/** By a name, also what that has replaced and still counts. Under a key that has done so before nothing changes. */
	async revoke(request: Keyed, meant: string): Promise<TokenFacts> {
		const { principal } = request;
		authorize(principal, "token.manage");
		const { response } = await this.#options.store.commit((tx) =>
			once(tx, request, this.#keys, async () => {
				const revokedAt = this.#now;
				const [found, ...others] = await revokeToken(tx, meant, revokedAt);
				const ended = [found.id, ...others.map(({ id }) => id)];
				for (const id of ended) await this.#note(tx, principal, { action: "token.revoke", object: id });
				return { facts: { ...factsOf(found), revokedAt }, ended };
			}),
		);
		for (const id of response.ended) this.#register.end(id);
		return response.facts;
	}

	async #rotate(
		request: Keyed,
		meant: string,
		{ text, graceMs, ...made }: Minted & { readonly graceMs: number },
	): Promise<MadeToken> {
		const { fresh, old, until } = await this.#change<Rotation>(request, async (tx) => {
			const rotation = await rotateToken(tx, meant, made, { now: this.#now, graceMs });
			const args = { replaces: rotation.old.map(({ id }) => id), grace_seconds: graceMs / 1000 };
			await this.#note(tx, request.principal, { action: "token.rotate", object: made.id, args });
			return rotation;
		});
		this.#register.add(toLive(fresh));
		for (const { id } of old) {
			if (graceMs === 0) this.#register.end(id);
			else this.#register.limit(id, until);
		}
		return { text, facts: factsOf(fresh) };
	}

	/** Makes a change once for its key; later it is refused, since no text is kept that could be given again. */
	#change<T>(request: Keyed, work: (tx: Tx) => Promise<T>): Promise<T> {
		return this.#options.store.commit(async (tx) => {
			const done: T[] = [];
			await once(tx, request, this.#keys, async () => {
				done.push(await work(tx));
				return null;
			});
			for (const result of done) return result;
			throw madeBefore(request);
		});
	}

	#note(tx: Tx, by: Principal, entry: Pick<AuditEntry, "action" | "object" | "args">): Promise<void> {
		return this.#options.audit.record(tx, { ...askedBy(by), decision: "allowed", ...entry });
	}

	#mint(kind: TokenKind): Minted {
		const text = mintToken(kind, this.#options.ids);
		const read = readTokenText(text);
		if (!read) throw new ParleyError("a token was minted that is none", { code: "internal" });
		return { text, id: read.id, hash: read.hash };
	}

	async #touch(id: string, at: number): Promise<void> {
		const { store, log } = this.#options;
		try {
			await store.commit((tx) => touchToken(tx, { id, at }));
		} catch (error) {
			log.warn("it could not be written when a token was last used", { id, error });
		}
	}

	get #now(): number {
		return this.#options.clock.now();
	}
}

function madeBefore({ key }: Keyed): ParleyError {
	const message = `the key "${key}" has made a token before, whose text was shown that one time`;
	return new ParleyError(`${message}; parley token rotate gives it another`, { code: "already_exists" });
}
