import { type Clock, type Logger, ParleyError } from "@parley/base";
import * as z from "zod";
import { messageId, readMessageId } from "../vocabulary/message-id.ts";
import type { OwnAccount, SlackAnswer, SlackApi, SlackCall } from "../vocabulary/slack-port.ts";
import { askSlack } from "./ask-slack.ts";
import type { OwnThreads } from "./own-threads.ts";
import { Remembered } from "./remembered.ts";
import { readAddress } from "./text.ts";
import { ts } from "./wire.ts";

export interface ThreadsParts {
	readonly self: OwnAccount;
	readonly port: SlackApi;
	readonly known: OwnThreads;
	readonly clock: Clock;
	readonly log: Logger;
}

/** The first message of a thread, as `conversations.replies` shows it. */
const Root = z.object({
	ts,
	thread_ts: ts.optional(),
	user: z.string().nullish(),
	text: z.string().nullish(),
	reply_users: z.array(z.string()).default([]),
});
type Root = z.output<typeof Root>;

const dayMs = 24 * 3_600_000;
/** What is refused for want of a scope or an invitation is not, once somebody has mended that. */
const refusedMs = 600_000;
/** Slack brings again after a minute what was not taken: https://docs.slack.dev/apis/events-api#retries */
const briefMs = 10_000;

/** Which threads are ours, and which thread a message stands in. */
export class Threads {
	readonly #parts: ThreadsParts;
	/** By the id of a message: that message, and null where Slack does not show it. */
	readonly #shown: Remembered<Root | null>;
	/** Until then Slack answers no more questions of this kind. */
	#limitedUntil = Number.NEGATIVE_INFINITY;

	constructor(parts: ThreadsParts) {
		const { clock } = parts;
		this.#parts = parts;
		const port = { call: (call: SlackCall) => this.#call(call) };
		this.#shown = new Remembered<Root | null>({
			what: "what a thread is about",
			clock,
			most: 5000,
			keptMs: (root) => (root === null ? refusedMs : dayMs),
			ask: async (id) => {
				const { channel, ts } = readMessageId(id) ?? { channel: id, ts: "" };
				const args = { channel, ts, limit: 1 };
				const answer = await askSlack(port, { method: "conversations.replies", args });
				if ("refused" in answer) return null;
				return z.tuple([Root]).rest(z.unknown()).safeParse(answer.body["messages"]).data?.[0] ?? null;
			},
		});
	}

	/**
	 * Whether we have written in a thread or its first message mentions us (`ours`), and whether that one is our own
	 * (`root`). Slack itself is asked only where `asks`, for what the database does not know any more; rejects with
	 * `unavailable` where it does not answer in time. Where it limits for more than a moment how often it is asked, a
	 * thread of which we know nothing is not ours: people talk in many that are not.
	 */
	async find(
		{ channel, thread }: { readonly channel: string; readonly thread: string },
		{ asks }: { readonly asks: boolean },
	): Promise<{ readonly ours: boolean; readonly root: boolean }> {
		const { known, self } = this.#parts;
		const found = await known.thread({ tenant: self.team, channel, ts: thread });
		if (found.ours || !asks) return found;
		const root = await this.#root(messageId(channel, thread));
		if (!root) return found;
		const isOwn = root.user === self.user;
		const speaks = readAddress(root.text ?? "", self.user).us;
		return { root: isOwn, ours: isOwn || speaks || root.reply_users.includes(self.user) };
	}

	async #root(id: string): Promise<Root | null | undefined> {
		if (this.#isLimited) return this.#unasked(id);
		return this.#shown.find(id).catch((error: unknown) => {
			if (this.#isLimited) return this.#unasked(id);
			throw error;
		});
	}

	#unasked(id: string): Root | null | undefined {
		const known = this.#shown.get(id);
		if (known === undefined && this.#limitedMs <= briefMs) {
			throw new ParleyError("Slack limits for a moment how often threads are looked up", {
				code: "unavailable",
			});
		}
		return known;
	}

	get #isLimited(): boolean {
		return this.#limitedMs > 0;
	}

	get #limitedMs(): number {
		return this.#limitedUntil - this.#parts.clock.monotonic();
	}

	async #call(call: SlackCall): Promise<SlackAnswer> {
		const { port, clock, log } = this.#parts;
		const answer = await port.call(call);
		if (answer.type !== "rate-limited") return answer;
		const { retryAfterMs } = answer;
		if (!this.#isLimited) log.warn("Slack limits how often threads are looked up", { retryAfterMs });
		this.#limitedUntil = Math.max(this.#limitedUntil, clock.monotonic() + retryAfterMs);
		return answer;
	}

	/**
	 * The thread of the room of a message, of which an event names the timestamp alone. Rejects as `find` does; a message
	 * that Slack does not show is one at the top.
	 */
	async threadOf(channel: string, ts: string): Promise<string | undefined> {
		const { known, self } = this.#parts;
		const place = await known.placeOf(messageId(channel, ts));
		if (place) return place.thread;
		const shown = await this.#shown.find(messageId(channel, ts));
		const { thread_ts: thread = ts } = shown ?? {};
		if (thread !== ts) return thread;
		// What we have posted at the top belongs to no thread.
		return channel.startsWith("D") || shown?.user === self.user ? undefined : ts;
	}
}
