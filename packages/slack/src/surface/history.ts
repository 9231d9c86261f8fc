import { setImmediate as turn } from "node:timers/promises";
import { defined } from "@parley/base";
import { DeliveryError } from "@parley/connector";
import { LRUCache } from "lru-cache";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import { limits } from "../vocabulary/limits.ts";
import type { OwnAccount } from "../vocabulary/slack-port.ts";
import type { Caller } from "./caller.ts";
import type { PostTarget } from "./post-targets.ts";

/** Parsed fields of a message: https://docs.slack.dev/reference/methods/conversations.history */
const Found = z.object({
	ts: z.string().regex(/^\d+\.\d+$/),
	user: z.string().optional().catch(undefined),
	bot_id: z.string().optional().catch(undefined),
	metadata: z
		.object({ event_type: z.string(), event_payload: z.object({ nonce: z.string() }) })
		.optional()
		.catch(undefined),
	blocks: z
		.array(z.object({ block_id: z.string().optional().catch(undefined) }))
		.default([])
		.catch([]),
	files: z
		.array(z.object({ name: z.string().nullish(), title: z.string().nullish(), size: z.number().optional() }))
		.default([])
		.catch([]),
});
export type Found = z.output<typeof Found>;

const Page = z.object({
	messages: z.array(z.unknown()),
	response_metadata: z.object({ next_cursor: z.string().optional() }).nullish().catch(undefined),
});

/** Maximum milliseconds by which this machine's clock may be ahead of Slack's clock. */
export const skewMs = 6 * 60_000;
/** Maximum messages of a search. If there are more, the search fails. */
const maxMessages = 2000;
const maxPages = 60;
const maxSearches = 500;

interface MessagePage {
	readonly messages: readonly Found[];
	readonly next: string;
}

interface SearchState {
	readonly cursor: string;
	readonly pages: number;
	readonly seen: number;
}

export interface Search {
	/** Key that all attempts of one search share. */
	readonly key: string;
	/** Earliest time of the message on Slack's clock, in milliseconds since the epoch. */
	readonly since: number;
	readonly fits: (message: Found) => boolean;
}

/**
 * Searches the bot's own messages. An app that is neither internal nor listed can read only 15 messages a minute, so an
 * interrupted search continues at its position.
 */
export class History {
	readonly #caller: Caller;
	readonly #self: OwnAccount;
	/** Positions by `Search.key`. An evicted search starts again. */
	readonly #searches = new LRUCache<string, SearchState>({ max: maxSearches });
	/**
	 * Pages for which no request has been sent yet. A search shares only these pages: a page that was requested before
	 * the search started may lack the message.
	 */
	readonly #next = new Map<string, Promise<MessagePage>>();

	constructor(caller: Caller, self: OwnAccount) {
		this.#caller = caller;
		this.#self = self;
	}

	/**
	 * Returns the first of the bot's messages that fits, or undefined. Rejects with `rejected` if there are too many
	 * messages to search.
	 */
	async find(postTarget: PostTarget, search: Search): Promise<Found | undefined> {
		const { key, fits } = search;
		let state: SearchState = this.#searches.get(key) ?? { cursor: "", pages: 0, seen: 0 };
		for (;;) {
			const { messages, next } = await this.#page(postTarget, search, state.cursor);
			const found = messages.find((message) => this.#isOwn(message) && fits(message));
			if (found !== undefined || next === "") {
				this.#searches.delete(key);
				return found;
			}
			state = { cursor: next, pages: state.pages + 1, seen: state.seen + messages.length };
			this.#searches.set(key, state);
			if (state.pages < maxPages && state.seen < maxMessages) continue;
			this.#searches.delete(key);
			const why = deliveryTexts.tooManyMessages(postTarget);
			throw new DeliveryError(why, { kind: "rejected" });
		}
	}

	/**
	 * Returns a page of messages. Searches of the same messages share requests, because many posts are searched
	 * after a start.
	 */
	async #page({ channel, thread }: PostTarget, { key, since }: Search, cursor: string): Promise<MessagePage> {
		const args = {
			channel,
			oldest: (since / 1000).toFixed(6),
			inclusive: true,
			include_all_metadata: true,
			limit: limits.messagesPerPage,
			...defined({ cursor: cursor || undefined, ts: thread }),
		};
		const id = JSON.stringify(args);
		const page = this.#next.get(id) ?? this.#request(id, args);
		return page.catch((error: unknown) => {
			// After a failure other than a rate limit, the search starts again, because Slack would never accept an expired
			// cursor.
			if (DeliveryError.from(error).kind !== "rate-limited") this.#searches.delete(key);
			throw error;
		});
	}

	#request(id: string, args: Readonly<Record<string, unknown>>): Promise<MessagePage> {
		const read = async (): Promise<MessagePage> => {
			await turn();
			this.#next.delete(id);
			const method = "ts" in args ? "conversations.replies" : "conversations.history";
			const { body } = await this.#caller.ask({ method }, args);
			const page = Page.safeParse(body);
			if (!page.success) throw new DeliveryError(deliveryTexts.noMessages, { kind: "unknown" });
			const messages = page.data.messages.flatMap((message) => Found.safeParse(message).data ?? []);
			return { messages, next: page.data.response_metadata?.next_cursor ?? "" };
		};
		const page = read();
		this.#next.set(id, page);
		return page;
	}

	#isOwn({ user, bot_id: bot }: Found): boolean {
		return user === this.#self.user || bot === this.#self.bot;
	}
}
