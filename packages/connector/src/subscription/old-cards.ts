import type { ConversationState } from "../conversation/conversation.ts";
import { taskCard } from "../conversation/tasks/task-state.ts";
import type { RenderedRow } from "../conversation/to-rows.ts";
import { isAnswerCard } from "../platform/answer-card.ts";

/**
 * Cards that a replay does not plan, because they are too old to be posted. Each card has its last content. The
 * time of its first row is used as the time of its post. Later events must find the existing post instead of
 * creating another post.
 */
export class OldCards {
	readonly #cards = new Map<string, RenderedRow>();
	/** Rows that open threads, by card. */
	readonly #threads = new Map<string, RenderedRow>();

	copy(): OldCards {
		const copy = new OldCards();
		for (const [card, row] of this.#cards) copy.#cards.set(card, row);
		for (const [card, row] of this.#threads) copy.#threads.set(card, row);
		return copy;
	}

	/** Collects the rows of one event in memory. `rows` must contain all rows of the event. */
	store(rows: readonly RenderedRow[]): void {
		for (const [index, row] of rows.entries()) {
			const { card, payload, seq } = row;
			const standsFor = `${seq}/${index}`;
			if (payload.type === "thread") this.#threads.set(payload.card, { ...row, standsFor });
			// A complete answer never changes.
			if (card === undefined || isAnswerCard(card)) continue;
			const { at, lane, standsFor: first = standsFor } = this.#cards.get(card) ?? row;
			this.#cards.set(card, { ...row, at, lane, standsFor: first });
		}
	}

	/** Removes and returns the stored cards and threads that `rows` need, as rows of the event `seq`. */
	before(rows: readonly RenderedRow[], seq: number): RenderedRow[] {
		return rows.flatMap((row) => cardsOf(row).flatMap((card) => this.#remove(card, seq)));
	}

	/**
	 * Removes and returns the cards that may still change, as rows of the event `seq`. These are the cards with controls,
	 * except cards of ended tasks, because ended tasks get no further events.
	 */
	open({ tasks }: ConversationState, seq: number): RenderedRow[] {
		const live = new Set(tasks.live.map(({ id }) => taskCard(id)));
		const open = [...this.#cards].filter(
			([card, row]) => hasControls(row) && (live.has(card) || !card.startsWith(taskCard(""))),
		);
		return open.flatMap(([card]) => this.#remove(card, seq));
	}

	#remove(card: string, seq: number): RenderedRow[] {
		const rows = [this.#cards.get(card), this.#threads.get(card)].filter((row) => row !== undefined);
		this.#cards.delete(card);
		this.#threads.delete(card);
		return rows.flatMap((row) => [...this.before([row], seq), { ...row, seq }]);
	}
}

/** Returns the cards that a row needs: its own card, and the card of the thread that the row opens or uses. */
function cardsOf({ card, payload }: RenderedRow): string[] {
	const root =
		payload.type === "thread" ? payload.card : payload.type === "post" ? payload.thread : undefined;
	return [root, card].filter((each) => each !== undefined);
}

function hasControls({ payload }: RenderedRow): boolean {
	return payload.type === "post" && payload.controls !== undefined;
}
