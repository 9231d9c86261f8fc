import { type Clock, RecentMap } from "@parley/base";
import { DeliveryError, type OutboxRow } from "@parley/connector";
import { errorCodes } from "../limits.ts";
import { Refused } from "./refused.ts";

/** A thread is made by a row of its own, which may come after one that is more urgent: so long is waited for it. */
const patienceMs = 60_000;
/** So many cards and conversations are known here; of others it is found out again. */
const mostKnown = 10_000;

/** The channel of a conversation: `CHANNEL`, or `CHANNEL#task:ID`. */
export function channelOf(conversation: string): string {
	return conversation.split("#", 1)[0] ?? conversation;
}

/** Where posts go: into the room, or into the thread of a card, whose id is that of the card's message. */
export class Places {
	readonly #cards: (card: string) => Promise<string | undefined>;
	readonly #clock: Clock;
	/** Cards that can have no thread, as far as this process has seen. */
	readonly #threadless: RecentMap<string, true>;
	/** The threads that conversations were last posted to. */
	readonly #threads: RecentMap<string, string>;

	constructor(cards: (card: string) => Promise<string | undefined>, clock: Clock) {
		this.#cards = cards;
		this.#clock = clock;
		this.#threadless = new RecentMap({ clock, most: mostKnown });
		this.#threads = new RecentMap({ clock, most: mostKnown });
	}

	/** The message of a card; waits for one that is not posted yet. */
	async messageOf(row: OutboxRow, card: string): Promise<string> {
		const message = await this.#cards(card);
		if (message !== undefined) return message;
		if (this.#isYoung(row)) throw later(`the card ${card} is not posted yet`);
		throw new DeliveryError(`the card ${card} was never posted`, { kind: "gone" });
	}

	hasNoThread(message: string): void {
		this.#threadless.set(message, true);
	}

	/** The channels that a conversation's posts go to, as far as it is known. */
	channelsOf(conversation: string): string[] {
		const thread = this.#threads.get(conversation);
		return [channelOf(conversation), ...(thread === undefined ? [] : [thread])];
	}

	/** Acts in the thread of `card`, or in the room where there is none and will be none, or it takes nothing more. */
	async act<T>(
		row: OutboxRow,
		card: string | undefined,
		action: (channel: string) => Promise<T>,
	): Promise<T> {
		const room = channelOf(row.conversation);
		const thread = card === undefined ? undefined : await this.#cards(card);
		if (card === undefined) return action(room);
		const isOpen = thread !== undefined && !this.#threadless.has(thread);
		const outcome = isOpen ? await inThread(() => action(thread)) : "none";
		if (outcome === "locked") return action(room);
		if (outcome !== "none") {
			if (thread !== undefined) this.#threads.set(row.conversation, thread);
			return outcome.result;
		}
		const mayCome = isOpen || thread === undefined;
		if (mayCome && this.#isYoung(row)) throw later(`the thread of ${card} is not there yet`);
		return action(room);
	}

	#isYoung({ at }: OutboxRow): boolean {
		return this.#clock.now() - at < patienceMs;
	}
}

/** What came of acting in a thread; else why nothing has, and it is to be done elsewhere. */
async function inThread<T>(action: () => Promise<T>): Promise<{ readonly result: T } | "none" | "locked"> {
	try {
		return { result: await action() };
	} catch (error) {
		const fault = error instanceof Refused ? error.fault : undefined;
		if (fault === errorCodes.unknownChannel) return "none";
		if (fault === errorCodes.lockedThread) return "locked";
		throw error;
	}
}

/** Nothing was sent, and a moment later it can be. */
function later(why: string): DeliveryError {
	return new DeliveryError(why, { kind: "rate-limited" });
}
