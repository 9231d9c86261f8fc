import { type Clock, delay, type Logger, ParleyError } from "@parley/base";
import type { Ticket } from "@parley/connector";
import { interactionTexts } from "../texts/interaction.ts";
import type { SlackAnswer, SlackReply, SlackResponder } from "../vocabulary/slack-port.ts";

export interface AnswersParts {
	readonly port: SlackResponder;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Maximum milliseconds before the acknowledgement. Slack shows a failure after three seconds, including network
 * delays.
 */
const answeredMs = 1500;

/** Returns a response with a text that only the acting person sees. */
export function privately(text: string): Readonly<Record<string, unknown>> {
	return { response_type: "ephemeral", replace_original: false, text };
}

/** Answers interactions within Slack's time limit. */
export class Answers {
	readonly #parts: AnswersParts;
	readonly #running = new Set<Promise<unknown>>();

	constructor(parts: AnswersParts) {
		this.#parts = parts;
	}

	/**
	 * Returns the body of the acknowledgement within `answeredMs`. `reply` converts the text that `work` returns, or the
	 * text for a failure, to this body. Without `reply`, or if the work takes too long, the text is posted privately
	 * afterwards.
	 */
	async inTime(
		work: Promise<string | undefined>,
		place: AnswerTarget,
		reply?: (words: string) => SlackReply,
	): Promise<SlackReply> {
		const { clock, log } = this.#parts;
		const refused = work.catch((reason: unknown) => {
			const error = ParleyError.from(reason);
			log.error("could not handle an interaction", { user: place.user, channel: place.channel, error });
			return interactionTexts[error.code === "resource_exhausted" ? "busy" : "failed"];
		});
		const over = new AbortController();
		const late = delay(clock, answeredMs, over.signal).then(() => undefined);
		const first = await Promise.race([refused.then((words) => ({ words })), late]);
		over.abort();
		if (first && reply) return first.words === undefined ? undefined : reply(first.words);
		this.run(refused.then((words) => (words === undefined ? undefined : this.postPrivately(place, words))));
		return undefined;
	}

	/** Posts a text that only `user` sees, in the channel of the interaction. Never rejects. */
	async postPrivately({ url, channel, user, thread }: AnswerTarget, text: string): Promise<void> {
		const { port, log } = this.#parts;
		const there = thread === undefined ? {} : { thread_ts: thread };
		const inPlace = (): Promise<SlackAnswer> =>
			port.call({ method: "chat.postEphemeral", args: { channel, user, text, ...there } });
		const byUrl = async (to: string): Promise<SlackAnswer> => {
			const answer = await port.respond(to, { ...privately(text), ...there });
			// A `response_url` accepts a limited number of answers. After that, `chat.postEphemeral` is used.
			return answer.type === "refused" ? inPlace() : answer;
		};
		const answer = await (url === undefined ? inPlace() : byUrl(url)).catch(ParleyError.from);
		if (!(answer instanceof ParleyError) && answer.type === "ok") return;
		const why = answer instanceof ParleyError ? answer.message : answer.type;
		log.error("could not post the private answer to an interaction", { user, channel, why });
	}

	/** Registers work that continues after the acknowledgement, and logs its failure. */
	run(work: Promise<unknown>): void {
		const running = work
			.catch((error: unknown) => this.#parts.log.error("could not answer an interaction", { error }))
			.finally(() => this.#running.delete(running));
		this.#running.add(running);
	}

	/** Resolves when all work has ended. */
	async settled(): Promise<void> {
		await Promise.all(this.#running);
	}
}

/**
 * Milliseconds for which a `response_url` accepts up to five answers:
 * https://docs.slack.dev/interactivity/handling-user-interaction#responses
 */
const answerableMs = 30 * 60_000;

export interface AnswerTarget {
	readonly url?: string | undefined;
	readonly channel: string;
	readonly user: string;
	/** Timestamp of the first message of the thread in which the answer appears. */
	readonly thread?: string | undefined;
}

/** Returns the ticket for a private answer. `id` is the trigger id of the interaction, or the id of a message. */
export function ticketFor(id: string, at: number, { url, channel, user, thread }: AnswerTarget): Ticket {
	const token = JSON.stringify({ url, channel, user, thread });
	return { id, token, expiresAt: at + answerableMs };
}
