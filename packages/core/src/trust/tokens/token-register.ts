import { timingSafeEqual } from "node:crypto";
import { type Clock, readTokenText, type Timer } from "@parley/base";
import type { Principal } from "../../vocabulary/principal.ts";

/** Facts about a valid token. Times are milliseconds since the epoch. */
export interface LiveToken {
	readonly id: string;
	readonly kind: string;
	/** SHA-256 of the token's secret. */
	readonly hash: Buffer;
	readonly principal: Principal;
	readonly expiresAt: number | undefined;
	readonly lastUsedAt: number | undefined;
}

interface RegisterOptions {
	readonly clock: Clock;
	/** Receives the id of a used token and the time, at most once a minute for each token. */
	readonly onUsed: (id: string, at: number) => void;
}

const usePeriodMs = 60_000;
/** Maximum milliseconds of the expiry timer, because timers do not notice a change of the machine's clock. */
const longestWatchMs = 60_000;
/** Hash for an unknown id, so that verification is as slow as for a known id. */
const unusedHash = Buffer.alloc(32);

/** Register of the valid tokens. A caller cannot distinguish revoked, expired and unknown tokens. */
export class TokenRegister {
	readonly #options: RegisterOptions;
	readonly #live = new Map<string, LiveToken>();
	readonly #listeners = new Set<(id: string) => void>();
	#watch: Timer | undefined;

	constructor(options: RegisterOptions) {
		this.#options = options;
	}

	/** Adds a token, or replaces its facts. */
	add(token: LiveToken): void {
		this.#live.set(token.id, token);
		this.#watchExpiry();
	}

	/** Removes the token and calls the listeners with its id. */
	end(id: string): void {
		if (!this.#live.delete(id)) return;
		for (const listener of [...this.#listeners]) listener(id);
	}

	/** Ends the validity of the token at `until`, unless the token expires earlier. */
	limit(id: string, until: number): void {
		const token = this.#live.get(id);
		if (!token || (token.expiresAt ?? Number.POSITIVE_INFINITY) <= until) return;
		this.add({ ...token, expiresAt: until });
	}

	/**
	 * Returns the principal if `text` is the text of a valid token, otherwise undefined. The duration of the check reveals
	 * nothing about the stored secrets.
	 */
	verify(text: string): Principal | undefined {
		const read = readTokenText(text);
		if (!read) return undefined;
		const known = this.#current(read.id);
		const isRight = timingSafeEqual(known?.hash ?? unusedHash, read.hash);
		if (!isRight || known?.kind !== read.kind) return undefined;
		this.#use(known);
		return known.principal;
	}

	counts(id: string): boolean {
		return this.#current(id) !== undefined;
	}

	onEnd(listener: (id: string) => void): () => void {
		this.#listeners.add(listener);
		this.#watchExpiry();
		return () => {
			this.#listeners.delete(listener);
			this.#watchExpiry();
		};
	}

	#current(id: string): LiveToken | undefined {
		const token = this.#live.get(id);
		return token && !this.#isOver(token) ? token : undefined;
	}

	#isOver({ expiresAt }: LiveToken): boolean {
		return expiresAt !== undefined && expiresAt <= this.#options.clock.now();
	}

	#use(token: LiveToken): void {
		const now = this.#options.clock.now();
		if (token.lastUsedAt !== undefined && Math.abs(now - token.lastUsedAt) < usePeriodMs) return;
		this.#live.set(token.id, { ...token, lastUsedAt: now });
		this.#options.onUsed(token.id, now);
	}

	/**
	 * Ends each token when it expires. Runs a timer only while there is a listener, because a timer keeps the
	 * process alive.
	 */
	#watchExpiry(): void {
		this.#watch?.cancel();
		this.#watch = undefined;
		const ends = [...this.#live.values()].flatMap(({ expiresAt }) => expiresAt ?? []);
		if (this.#listeners.size === 0 || ends.length === 0) return;
		const { clock } = this.#options;
		const waitMs = Math.min(...ends) - clock.now();
		this.#watch = clock.after(Math.min(longestWatchMs, Math.max(0, waitMs)), () => {
			for (const token of [...this.#live.values()]) if (this.#isOver(token)) this.end(token.id);
			this.#watchExpiry();
		});
	}
}
