import { type Cache, type Clock, createCache } from "@parley/base";
import type { CardMessages, OutboxRow } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import { errorCodes } from "../vocabulary/limits.ts";
import { Refused } from "./refused.ts";

/** Maximum number of cards in memory, and maximum number of conversations in memory. */
const maxKnown = 10_000;

/** Returns the channel of a conversation: the part before the first `#`. */
export function channelOf(conversation: string): string {
	return conversation.split("#", 1)[0] ?? conversation;
}

/**
 * Channels of posts. A post belongs to the channel of its conversation, or to the thread of a card. A thread has the
 * id of its card's message.
 */
export class PostChannels {
	readonly #cards: CardMessages;
	/** Messages of cards that cannot have a thread. */
	readonly #threadless: Cache<string, true>;
	/** Thread of the last post, by conversation. */
	readonly #threads: Cache<string, string>;

	constructor(cards: CardMessages, clock: Clock) {
		this.#cards = cards;
		this.#threadless = createCache({ max: maxKnown, clock });
		this.#threads = createCache({ max: maxKnown, clock });
	}

	/** Returns the id of a card's message; see `CardMessages.require`. */
	messageOf(row: OutboxRow, card: string): Promise<string> {
		return this.#cards.require(row, card);
	}

	hasNoThread(message: string): void {
		this.#threadless.set(message, true);
	}

	/** Returns the channel of a conversation, and the thread of its last post if this process knows it. */
	channelsOf(conversation: string): string[] {
		// Reading the rate limits of a conversation does not count as a use of its thread.
		const thread = this.#threads.peek(conversation);
		const channel = channelOf(conversation);
		return thread === undefined ? [channel] : [channel, thread];
	}

	/**
	 * Runs an action in the thread of `card`, or in the channel if the thread is locked or does not exist. Rejects with
	 * `closed` for an edit of a post in a locked thread. Rejects with `rate-limited` while the thread does not exist
	 * and the row is younger than a minute, unless the card cannot have a thread.
	 */
	async act<T>(
		row: OutboxRow,
		card: string | undefined,
		action: (channel: string) => Promise<T>,
	): Promise<T> {
		const room = channelOf(row.conversation);
		if (card === undefined) return action(room);
		const thread = await this.#cards.find(card);
		const isOpen = thread !== undefined && !this.#threadless.has(thread);
		const outcome = isOpen ? await inThread(() => action(thread), row.target !== undefined) : "none";
		if (outcome === "locked") return action(room);
		if (outcome !== "none") {
			if (thread !== undefined) this.#threads.set(row.conversation, thread);
			return outcome.result;
		}
		if (isOpen || thread === undefined) {
			this.#cards.delayNewPost(row, deliveryTexts.noThread({ card }));
		}
		return action(room);
	}
}

async function inThread<T>(
	action: () => Promise<T>,
	edits: boolean,
): Promise<{ readonly result: T } | "none" | "locked"> {
	try {
		return { result: await action() };
	} catch (error) {
		const fault = error instanceof Refused ? error.fault : undefined;
		if (fault === errorCodes.unknownChannel) return "none";
		if (fault === errorCodes.lockedThread && !edits) return "locked";
		throw error;
	}
}
