import type { Clock, Logger } from "@parley/base";
import { isAnswerCard } from "../platform/answer-card.ts";
import { DeliveryError, type Receipt } from "../platform/surface.ts";
import type { OpenRow } from "./open-row.ts";
import { inboundMs } from "./verdict.ts";

/** Transient content for the post of a growing answer. */
export interface AnswerDraft {
	readonly conversation: string;
	readonly card: string;
	readonly payload: unknown;
}

/** Orders the transient edits of growing answers and the rows that follow them. A late edit must not replace newer content. */
export class AnswerDrafts {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #startedAt: number;
	readonly #running = new Map<string, Promise<Receipt | DeliveryError>>();
	/** Monotonic time, by card, until which an edit with an unclear result may still arrive. */
	readonly #late = new Map<string, number>();
	/**
	 * Cards of the answers that this process posted within `inboundMs` of its start. During this time, edits that
	 * the previous process sent may still arrive for the cards of all other answers.
	 */
	readonly #posted = new Set<string>();

	constructor(clock: Clock, log: Logger) {
		this.#clock = clock;
		this.#log = log;
		this.#startedAt = clock.monotonic();
	}

	get size(): number {
		return this.#running.size;
	}

	/**
	 * Sends one edit of a card. Resolves with true if the edit succeeded. Resolves with false if the edit failed, or if
	 * another edit of the card is running.
	 */
	async show(card: string, send: () => Promise<Receipt | DeliveryError>): Promise<boolean> {
		if (this.#running.has(card)) return false;
		const sent = send();
		this.#running.set(card, sent);
		const outcome = await sent;
		this.#running.delete(card);
		if (!(outcome instanceof DeliveryError)) return true;
		this.#log.debug("a growing answer could not be shown", { card, error: outcome });
		if (outcome.kind === "unknown") this.#late.set(card, this.#clock.monotonic() + inboundMs);
		return false;
	}

	notePosted({ card }: OpenRow): void {
		if (this.#clock.monotonic() >= this.#startedAt + inboundMs) this.#posted.clear();
		else if (card !== null && isAnswerCard(card)) this.#posted.add(card);
	}

	/**
	 * Returns the monotonic time until which transient edits delay a row. Returns 0 if the row has no card of an
	 * answer, and `Infinity` while an edit of the card runs.
	 */
	openAt({ card, edits, attempts }: OpenRow): number {
		if (card === null || !isAnswerCard(card)) return 0;
		if (this.#running.has(card)) return Number.POSITIVE_INFINITY;
		const late = this.#late.get(card) ?? 0;
		if (late <= this.#clock.monotonic()) this.#late.delete(card);
		const isOfLastProcess = edits && attempts === 0 && !this.#posted.has(card);
		return Math.max(late, isOfLastProcess ? this.#startedAt + inboundMs : 0);
	}

	/** Resolves when all running edits have ended. */
	async settled(): Promise<void> {
		await Promise.all(this.#running.values());
	}
}
