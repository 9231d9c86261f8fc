import { defined } from "@parley/base";
import { type CardMessages, DeliveryError, type OutboxRow } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import { addressOfConversation } from "../vocabulary/conversation.ts";
import { readMessageId } from "../vocabulary/message-id.ts";

export interface PostTarget {
	readonly channel: string;
	/** Timestamp of the first message of the thread. */
	readonly thread?: string;
}

/** Channels and threads of posts. A post belongs to its conversation, or to the thread of a card. */
export class PostTargets {
	readonly #cards: CardMessages;

	constructor(cards: CardMessages) {
		this.#cards = cards;
	}

	/** Returns the message of a card; see `CardMessages.require`. */
	messageOf(row: OutboxRow, card: string): Promise<string> {
		return this.#cards.require(row, card);
	}

	/**
	 * Returns the target of a row, or the thread of `card`. In a thread, a card has no separate thread, because threads
	 * cannot be nested. Rejects with `rate-limited` if the card is not posted yet and the row is younger than a minute.
	 */
	async targetOf(row: OutboxRow, card: string | undefined): Promise<PostTarget> {
		const { channel, thread } = roomOf(row);
		if (thread !== undefined) return { channel, thread };
		if (card === undefined) return { channel };
		const message = await this.#cards.find(card);
		if (message === undefined) this.#cards.delayNewPost(row, deliveryTexts.noCard({ card }));
		const ts = message === undefined ? undefined : readMessageId(message)?.ts;
		return defined({ channel, thread: ts });
	}
}

function roomOf({ conversation }: OutboxRow): PostTarget {
	const place = addressOfConversation(conversation);
	if (place !== undefined) return place;
	throw new DeliveryError(deliveryTexts.notAConversation({ id: conversation }), { kind: "rejected" });
}
