import { type Clock, type Logger, ParleyError } from "@parley/base";
import * as z from "zod";
import { messageId, readMessageId } from "../vocabulary/message-id.ts";
import type { OwnAccount, SlackAnswer, SlackApi, SlackCall } from "../vocabulary/slack-port.ts";
import type { OwnThreads } from "./own-threads.ts";
import { readSlack } from "./read-slack.ts";
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

/** First message of a thread in a response of `conversations.replies`. */
const Root = z.object({
	ts,
	thread_ts: ts.optional(),
	user: z.string().nullish(),
	text: z.string().nullish(),
	reply_users: z.array(z.string()).default([]),
});
type Root = z.output<typeof Root>;

const dayMs = 24 * 3_600_000;
/** Milliseconds for which a refusal is cached. A missing scope or invitation can be repaired. */
const refusedMs = 600_000;
/**
 * Maximum milliseconds of a rate limit during which `find` rejects for an unknown thread, so that Slack redelivers
 * the event: https://docs.slack.dev/apis/events-api#retries
 */
const briefMs = 10_000;

/** Facts about threads: whether the bot has posted in a thread, and which thread a message belongs to. */
export class Threads {
	readonly #parts: ThreadsParts;
	/** Messages by id, as Slack shows them. Null for a message that Slack does not show. */
	readonly #shown: Remembered<Root | null>;
	/** Time on the monotonic clock until which Slack limits the rate of `conversations.replies`. */
	#limitedUntil = Number.NEGATIVE_INFINITY;

	constructor(parts: ThreadsParts) {
		const { clock } = parts;
		this.#parts = parts;
		const port = { call: (call: SlackCall) => this.#call(call) };
		this.#shown = new Remembered<Root | null>({
			what: "the thread",
			clock,
			maximum: 5000,
			retentionMs: (root) => (root === null ? refusedMs : dayMs),
			ask: async (id) => {
				const { channel, ts } = readMessageId(id) ?? { channel: id, ts: "" };
				const args = { channel, ts, limit: 1 };
				const answer = await readSlack(port, { method: "conversations.replies", args });
				if ("refused" in answer) return null;
				return z.tuple([Root]).rest(z.unknown()).safeParse(answer.body["messages"]).data?.[0] ?? null;
			},
		});
	}

	/**
	 * Returns facts about a thread; see `OwnThreads.thread`. Asks Slack only with `asks`, and only if the database
	 * does not show that the thread is the agent's. Rejects with `unavailable` if Slack does not respond in time.
	 * During a longer rate limit, an unknown thread is treated as a thread without posts of the bot.
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
		const mentionsUs = readAddress(root.text ?? "", self.user).us;
		return { root: isOwn, ours: isOwn || mentionsUs || root.reply_users.includes(self.user) };
	}

	/**
	 * Caches a message that mentions the bot as the first message of its thread. Its replies may arrive before the
	 * message is stored, or during a rate limit.
	 */
	noteMention(channel: string, { ts, user, text }: Omit<Root, "reply_users">): void {
		this.#shown.note(messageId(channel, ts), { ts, user, text, reply_users: [] });
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
			const message = `cannot read the thread ${id}: Slack limits the rate of these requests`;
			throw new ParleyError(message, { code: "unavailable" });
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
		if (!this.#isLimited) log.warn("Slack limits the rate of reading threads", { retryAfterMs });
		this.#limitedUntil = Math.max(this.#limitedUntil, clock.monotonic() + retryAfterMs);
		return answer;
	}

	/**
	 * Returns the thread of a message for which an event has only the timestamp. Rejects like `find`. A message that is
	 * not a reply, or that Slack does not show, is in its own thread. Undefined for a post of the bot that is not a
	 * reply.
	 */
	async threadOf(channel: string, ts: string): Promise<string | undefined> {
		const { known, self } = this.#parts;
		const place = await known.placeOf(messageId(channel, ts));
		if (place) return place.thread;
		const shown = await this.#shown.find(messageId(channel, ts));
		const { thread_ts: thread = ts } = shown ?? {};
		if (thread !== ts) return thread;
		return shown?.user === self.user ? undefined : ts;
	}
}
