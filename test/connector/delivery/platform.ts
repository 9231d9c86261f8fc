import type { ManualClock } from "@parley/base/testing";
import { DeliveryError, type OutboxRow, type Receipt, type Surface } from "@parley/connector";
import type { Random } from "../../random.ts";

/** A visible message. */
export interface Post {
	readonly remote: string;
	readonly nonce: string;
	readonly conversation: string;
	readonly card: string | undefined;
	readonly at: number;
	text: string;
}

/**
 * Maximum delay of a request in milliseconds, shorter than the time after which the outbox considers a request
 * lost.
 */
const latestMs = 14_000;

/**
 * Milliseconds after the first request in which the outbox may retry without a lookup. Even with the maximum delay,
 * such a retry reaches the platform before the nonce expires.
 */
const safeMs = 60_000;
const nonceMs = safeMs + latestMs;

/**
 * A platform that drops requests, fails after it has performed them, delays them, and limits rates. If it has nonces,
 * it creates only one post for the same nonce within `nonceMs`.
 */
export class Platform implements Surface {
	readonly posts: Post[] = [];
	readonly faults: string[] = [];
	calm = false;
	readonly #clock: ManualClock;
	readonly #random: Random;
	/** Time of the first request by nonce, for requests without a later lookup. */
	readonly #unclear = new Map<string, number>();
	readonly #hasNonces: boolean;

	constructor(clock: ManualClock, random: Random) {
		this.#clock = clock;
		this.#random = random;
		this.#hasNonces = random.chance(0.5);
	}

	dedupeWindowMs(): number {
		return this.#hasNonces ? safeMs : 0;
	}

	scopes({ conversation }: { readonly conversation: string }): string[] {
		return ["all", conversation];
	}

	async send(row: OutboxRow): Promise<Receipt> {
		const startedAt = this.#clock.now();
		const latest = startedAt + latestMs;
		await this.#transport();
		this.#mayFailBefore(row.conversation);
		const firstAt = this.#unclear.get(row.nonce);
		const isSafe = firstAt === undefined || startedAt - firstAt < this.dedupeWindowMs();
		if (row.target === undefined && !isSafe) this.faults.push(`${row.id} is sent again without a look`);
		this.#unclear.set(row.nonce, firstAt ?? startedAt);
		const fate = this.calm ? 1 : this.#random.next();
		if (fate < 0.05) throw new DeliveryError("the request was lost", { kind: "unknown" });
		if (fate < 0.1) {
			// This limit also applies to late requests of a dead process, because the next process waits longer after its own
			// start.
			const remaining = Math.max(1, latest - this.#clock.now());
			this.#clock.after(this.#random.between(1, remaining), () => this.#carryOut(row));
			throw new DeliveryError("the answer did not come in time", { kind: "unknown" });
		}
		const receipt = this.#carryOut(row);
		if (fate < 0.15) throw new DeliveryError("502", { kind: "unknown" });
		if (fate < 0.18) throw new TypeError("fetch failed");
		if (fate < 0.25) return { ...receipt, limits: [{ scope: row.conversation, retryAfterMs: 700 }] };
		return receipt;
	}

	async find(row: OutboxRow): Promise<Receipt | undefined> {
		await this.#transport();
		this.#mayFailBefore(row.conversation);
		if (!this.calm && this.#random.chance(0.1)) throw new DeliveryError("503", { kind: "unknown" });
		this.#unclear.delete(row.nonce);
		const post = this.posts.find(({ nonce }) => nonce === row.nonce);
		return post && { remote: post.remote };
	}

	async typing(conversation: string): Promise<void> {
		this.#mayFailBefore(conversation);
	}

	async #transport(): Promise<void> {
		if (this.calm || this.#random.chance(0.4)) return;
		await new Promise<void>((resolve) => this.#clock.after(this.#random.between(1, 3000), resolve));
	}

	#mayFailBefore(conversation: string): void {
		if (this.calm || !this.#random.chance(0.08)) return;
		const scope = this.#random.chance(0.2) ? "all" : conversation;
		const limit = { scope, retryAfterMs: this.#random.between(0, 4000) };
		throw new DeliveryError("429", { kind: "rate-limited", limit });
	}

	#carryOut(row: OutboxRow): Receipt {
		// The cast is safe because the tests plan only payloads with a text.
		const { text } = row.payload as { readonly text: string };
		const edited = this.posts.find(({ remote }) => remote === row.target);
		if (edited) {
			edited.text = text;
			return { remote: edited.remote };
		}
		const { nonce, conversation, card } = row;
		const now = this.#clock.now();
		const first = this.posts.find((post) => post.nonce === nonce);
		if (this.#hasNonces && first && now - first.at < nonceMs) return { remote: first.remote };
		const remote = `post-${this.posts.length + 1}`;
		this.posts.push({ remote, nonce, conversation, card, text, at: now });
		return { remote };
	}
}
