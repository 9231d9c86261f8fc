import type { Clock } from "@parley/base";
import { DeliveryError, type OutboxRow } from "@parley/connector";
import { placeOf } from "../conversation.ts";
import { readMessageId } from "../message-id.ts";

/** A card is posted by a row of its own, which may come after one that is more urgent: so long is waited for it. */
const patienceMs = 60_000;

/** Where something is posted. */
export interface Spot {
	readonly channel: string;
	/** The timestamp of the message that its thread began with. */
	readonly thread?: string;
}

/** Where posts go: into the room, or below a card. */
export class Places {
	readonly #cards: (card: string) => Promise<string | undefined>;
	readonly #clock: Clock;

	constructor(cards: (card: string) => Promise<string | undefined>, clock: Clock) {
		this.#cards = cards;
		this.#clock = clock;
	}

	/** The message of a card. Throws `rate-limited` while it may still be posted, and `gone` when it never was. */
	async messageOf(row: OutboxRow, card: string): Promise<string> {
		const message = await this.#cards(card);
		if (message !== undefined) return message;
		if (this.#isYoung(row)) throw later(`the card ${card} is not posted yet`);
		throw new DeliveryError(`the card ${card} was never posted`, { kind: "gone" });
	}

	/** The room of a row, or the thread of `card`; a thread has no threads, so there it is the room. */
	async spotOf(row: OutboxRow, card: string | undefined): Promise<Spot> {
		const { channel, thread } = roomOf(row);
		if (thread !== undefined) return { channel, thread };
		if (card === undefined) return { channel };
		const message = await this.#cards(card);
		if (message === undefined && this.#isYoung(row)) throw later(`the card ${card} is not posted yet`);
		const ts = message === undefined ? undefined : readMessageId(message)?.ts;
		return { channel, ...(ts !== undefined && { thread: ts }) };
	}

	#isYoung({ at }: OutboxRow): boolean {
		return this.#clock.now() - at < patienceMs;
	}
}

function roomOf({ conversation }: OutboxRow): Spot {
	const place = placeOf(conversation);
	if (place !== undefined) return place;
	throw new DeliveryError(`${conversation} is no room of Slack`, { kind: "rejected" });
}

/** Nothing was sent, and a moment later it can be. */
function later(why: string): DeliveryError {
	return new DeliveryError(why, { kind: "rate-limited" });
}
