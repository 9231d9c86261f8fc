import { createHash, createHmac, randomBytes } from "node:crypto";
import { type Clock, ParleyError } from "@parley/base";
import { actingId, type Principal, type Runtime } from "@parley/core";
import { passwordPageTexts } from "../texts/pages/password.ts";

/** Maximum lifetime of a page in milliseconds. A page also never outlives its question. */
const lifeMs = 10 * 60 * 1000;
/** Milliseconds for which an expired page stays known, so that a late visitor learns about the expiry. */
const rememberedMs = 24 * 60 * 60 * 1000;
/** Maximum number of pages of one principal. A further page replaces the oldest page of the principal. */
const maxPagesOfPerson = 8;
/** Maximum number of pages of all principals together. A further page replaces the oldest page. */
const maxPages = 1_000;
/** Maximum number of failed answers to one page. */
const maxTries = 20;

export const secretPath = "/secret/";

/** A page that accepts one answer to one question from one person. */
export interface SecretPage {
	/** Requester of the page. A visitor answers as this principal. */
	readonly holder: Principal;
	/** Token of the question. */
	readonly token: string;
	/** Time of expiry, in milliseconds since the epoch. */
	readonly expiresAt: number;
}

interface StoredPage extends SecretPage {
	readonly key: string | undefined;
	/** Time of expiry, in the clock's monotonic milliseconds. */
	readonly until: number;
	tries: number;
	used: boolean;
}

export type PageState =
	| { readonly state: "open"; readonly page: SecretPage }
	| { readonly state: "used" | "expired" | "unknown" };

export interface SecretPagesOptions {
	/** Origin at which browsers reach the gateway. */
	readonly publicUrl: string;
	readonly clock: Clock;
	readonly runtime: Runtime;
}

/**
 * Pages for passwords, stored only in memory, by the hashes of their addresses. After a restart, the person
 * must request a new page.
 */
export class SecretPages {
	readonly #options: SecretPagesOptions;
	/** Pages by the hash of their address. The oldest page is the first one. */
	readonly #pages = new Map<string, StoredPage>();
	/**
	 * Secret from which the addresses of pages with an idempotency key are derived. The same key always has the same
	 * address. The address itself is not stored.
	 */
	readonly #seed = randomBytes(32);

	constructor(options: SecretPagesOptions) {
		this.#options = options;
	}

	/** Returns the host in the addresses of the pages. */
	get host(): string {
		return new URL(this.#options.publicUrl).host;
	}

	/**
	 * Creates a page for a question, or returns the page that an earlier request with the same key has created. Rejects
	 * with the same errors as an answer, for example if the holder may not answer. Rejects with `invalid_argument` if
	 * `key` belongs to a page for another question or another person.
	 */
	async issue(
		holder: Principal,
		{ token, key }: { readonly token: string; readonly key: string | undefined },
	): Promise<{ readonly url: string; readonly expiresAt: number }> {
		const { clock, runtime, publicUrl } = this.#options;
		const { prompt } = await runtime.prompts.secret(holder, token);
		const id = this.#idFor(holder, key);
		const url = `${publicUrl}${secretPath}${id}`;
		const known = this.#pages.get(hashOf(id));
		if (known) {
			if (known.token === token && actingId(known.holder) === actingId(holder)) {
				return { url, expiresAt: known.expiresAt };
			}
			throw new ParleyError(passwordPageTexts.keyReused({ key }), { code: "invalid_argument" });
		}
		this.#makeRoom(holder);
		const life = Math.min(lifeMs, prompt.expiresAt - clock.now());
		const [expiresAt, until] = [clock.now() + life, clock.monotonic() + life];
		this.#pages.set(hashOf(id), { holder, token, key, expiresAt, until, tries: 0, used: false });
		return { url, expiresAt };
	}

	/** Returns the state of the page at an address, without changing it. */
	find(id: string): PageState {
		const page = this.#pages.get(hashOf(id));
		if (!page) return { state: "unknown" };
		if (page.used) return { state: "used" };
		return this.#isOver(page) ? { state: "expired" } : { state: "open", page };
	}

	/**
	 * Reserves the page at an address for an answer. Returns false if the page is unknown, used or expired. `release`
	 * ends the reservation.
	 */
	reserve(id: string): boolean {
		const page = this.#pages.get(hashOf(id));
		if (!page || page.used || this.#isOver(page)) return false;
		page.used = true;
		return true;
	}

	/** Releases a page after a failed answer. After `maxTries` failed answers, the page stays used. */
	release(id: string): void {
		const page = this.#pages.get(hashOf(id));
		if (!page) return;
		page.tries += 1;
		page.used = page.tries >= maxTries;
	}

	#idFor({ id, tokenId }: Principal, key: string | undefined): string {
		if (key === undefined) return randomBytes(32).toString("base64url");
		const named = JSON.stringify([id, tokenId, key]);
		return createHmac("sha256", this.#seed).update(named).digest("base64url");
	}

	#isOver({ until, holder: { tokenId } }: StoredPage): boolean {
		const { clock, runtime } = this.#options;
		return until <= clock.monotonic() || (tokenId !== undefined && !runtime.trust.tokens.counts(tokenId));
	}

	#makeRoom(holder: Principal): void {
		const now = this.#options.clock.monotonic();
		const own: string[] = [];
		for (const [hash, page] of this.#pages) {
			if (page.until + rememberedMs <= now) this.#pages.delete(hash);
			else if (actingId(page.holder) === actingId(holder)) own.push(hash);
		}
		const [oldest] = this.#pages.keys();
		if (own[0] !== undefined && own.length >= maxPagesOfPerson) this.#pages.delete(own[0]);
		else if (oldest !== undefined && this.#pages.size >= maxPages) this.#pages.delete(oldest);
	}
}

function hashOf(id: string): string {
	return createHash("sha256").update(id).digest("base64url");
}
