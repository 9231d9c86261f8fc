import { type Clock, defined, delay, type Logger, ParleyError } from "@parley/base";
import * as z from "zod";
import { ts } from "../intake/wire.ts";
import type { SlackAnswer, SlackApi, SlackCall } from "../vocabulary/slack-port.ts";
import type { ActiveChannel } from "./active-channels.ts";

export interface MissedMessagesParts {
	readonly port: SlackApi;
	readonly clock: Clock;
	readonly log: Logger;
	readonly signal: AbortSignal;
}

/** Maximum pages of a channel. Older messages are not recovered. */
const maxPages = 3;
const perPage = 100;
/** Maximum pages of a thread. A thread needs many pages, because Slack returns the oldest messages first. */
const maxThreadPages = 30;

/**
 * Minimum milliseconds between two requests. `conversations.history` and `conversations.replies` each allow fifty
 * requests per minute: https://docs.slack.dev/apis/web-api/rate-limits
 */
const paceMs = 1200;

/** Maximum attempts per request. */
const tries = 5;
const maxWaitMs = 120_000;

const Page = z.object({
	/** Messages of the page. `latest_reply`: timestamp of the newest reply in a thread. */
	messages: z.array(z.looseObject({ ts, latest_reply: ts.optional().catch(undefined) })),
	response_metadata: z.object({ next_cursor: z.string().optional() }).nullish(),
});
type Message = z.output<typeof Page>["messages"][number];

const missingErrors: ReadonlySet<string> = new Set([
	"channel_not_found",
	"not_in_channel",
	"thread_not_found",
	"is_archived",
]);

export class MissedMessages {
	readonly #parts: MissedMessagesParts;

	constructor(parts: MissedMessagesParts) {
		this.#parts = parts;
	}

	/**
	 * Passes the messages between two timestamps to `receive`, oldest first. If there are too many, passes only the
	 * newest that were read. Resolves with the threads that these messages have started, most recently answered
	 * first. Resolves with `gone` if the channel or thread can no longer be read. Rejects if Slack does not return
	 * the messages, if `receive` rejects, or if the signal aborts.
	 */
	async read(
		place: ActiveChannel,
		{ oldest, latest }: { readonly oldest: string; readonly latest: string },
		receive: (body: unknown) => Promise<unknown>,
	): Promise<readonly string[] | "gone"> {
		const { channel, thread } = place;
		const span = { channel, oldest, latest, limit: perPage };
		const missed: Message[] = [];
		let cursor: string | undefined;
		for (let page = 0; page < (thread === undefined ? maxPages : maxThreadPages); page++) {
			const answer = await this.#ask({
				method: thread === undefined ? "conversations.history" : "conversations.replies",
				args: {
					...span,
					...defined({ ts: thread, cursor }),
				},
			});
			if (answer === undefined) return "gone";
			// Slack always includes the first message of a thread.
			missed.push(...answer.messages.filter((message) => message.ts > oldest));
			cursor = answer.response_metadata?.next_cursor || undefined;
			if (cursor === undefined) break;
		}
		const sorted = missed.toSorted((one, other) => (one.ts < other.ts ? -1 : 1));
		const read = sorted.slice(-maxPages * perPage);
		if (cursor !== undefined || read.length < sorted.length) {
			this.#parts.log.warn("a channel has more missed messages than are read", {
				channel,
				thread,
				read: read.length,
			});
		}
		for (const message of read) {
			const event = { ...message, type: "message", channel };
			await receive({ event_id: `missed:${channel}-${message.ts}`, event });
		}
		return startedThreads(place, read);
	}

	async #ask(call: SlackCall): Promise<z.output<typeof Page> | undefined> {
		const { clock, signal } = this.#parts;
		await delay(clock, paceMs, signal);
		const answer = await this.#answer(call);
		if (answer.type === "ok") return Page.parse(answer.body);
		if (answer.type === "refused" && missingErrors.has(answer.error)) return undefined;
		const why = answer.type === "refused" ? answer.error : "rate limited";
		throw new ParleyError(`reading from Slack with ${call.method} failed: ${why}`, { code: "unavailable" });
	}

	async #answer(call: SlackCall): Promise<SlackAnswer> {
		const { port, clock, signal } = this.#parts;
		for (let tried = 1; ; tried++) {
			signal.throwIfAborted();
			const answer = await port.call(call).catch(ParleyError.from);
			const isAnswer = !(answer instanceof ParleyError);
			if (isAnswer && answer.type !== "rate-limited") return answer;
			if (tried === tries) {
				if (isAnswer) return answer;
				throw answer;
			}
			const waitMs = isAnswer ? answer.retryAfterMs : 1000 * 2 ** (tried - 1);
			await delay(clock, Math.min(waitMs, maxWaitMs), signal);
		}
	}
}

function startedThreads({ thread }: ActiveChannel, messages: readonly Message[]): readonly string[] {
	if (thread !== undefined) return [];
	return messages
		.flatMap(({ ts: root, latest_reply: newest }) => (newest === undefined ? [] : [{ root, newest }]))
		.toSorted((one, other) => (one.newest < other.newest ? 1 : -1))
		.map(({ root }) => root);
}
