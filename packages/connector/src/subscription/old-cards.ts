import type { ConversationState } from "../conversation/conversation.ts";
import { taskCard } from "../conversation/tasks/task-state.ts";
import type { RenderedRow } from "../conversation/to-rows.ts";

/**
 * What a replay does not plan because it is too old to be posted: of each card what it has shown last, at the time of
 * its first row, which is when its post was made. What goes on later must find that post instead of making another.
 */
export class OldCards {
	readonly #cards = new Map<string, RenderedRow>();
	/** By the card that they belong to. */
	readonly #threads = new Map<string, RenderedRow>();

	copy(): OldCards {
		const copy = new OldCards();
		for (const [card, row] of this.#cards) copy.#cards.set(card, row);
		for (const [card, row] of this.#threads) copy.#threads.set(card, row);
		return copy;
	}

	/** Keeps the rows of one event, which are all that it shows. */
	keep(rows: readonly RenderedRow[]): void {
		for (const [index, row] of rows.entries()) {
			const { card, payload, seq } = row;
			const standsFor = `${seq}/${index}`;
			if (payload.type === "thread") this.#threads.set(payload.card, { ...row, standsFor });
			if (card === undefined) continue;
			const { at, lane, standsFor: first = standsFor } = this.#cards.get(card) ?? row;
			this.#cards.set(card, { ...row, at, lane, standsFor: first });
		}
	}

	/** Takes out what must be found before rows can be shown: their cards and threads, as rows of the event `seq`. */
	before(rows: readonly RenderedRow[], seq: number): RenderedRow[] {
		return rows.flatMap((row) => cardsOf(row).flatMap((card) => this.#take(card, seq)));
	}

	/**
	 * Takes out what may still change, as rows of the event `seq`: cards with something to press. Of the tasks only those
	 * that are at work: nothing follows the others, whatever can be pressed there.
	 */
	open({ tasks }: ConversationState, seq: number): RenderedRow[] {
		const live = new Set(tasks.live.map(({ id }) => taskCard(id)));
		const open = [...this.#cards].filter(
			([card, row]) => hasControls(row) && (live.has(card) || !card.startsWith(taskCard(""))),
		);
		return open.flatMap(([card]) => this.#take(card, seq));
	}

	#take(card: string, seq: number): RenderedRow[] {
		const rows = [this.#cards.get(card), this.#threads.get(card)].filter((row) => row !== undefined);
		this.#cards.delete(card);
		this.#threads.delete(card);
		return rows.flatMap((row) => [...this.before([row], seq), { ...row, seq }]);
	}
}

/** The cards that a row needs: the one whose thread it opens or goes to, and its own. */
function cardsOf({ card, payload }: RenderedRow): string[] {
	const root =
		payload.type === "thread" ? payload.card : payload.type === "post" ? payload.thread : undefined;
	return [root, card].filter((each) => each !== undefined);
}

function hasControls({ payload }: RenderedRow): boolean {
	return payload.type === "post" && payload.controls !== undefined;
}
