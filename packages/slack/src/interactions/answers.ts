import { type Clock, delay, type Logger, ParleyError } from "@parley/base";
import type { Ticket } from "@parley/connector";
import type { SlackAnswer, SlackReply, SlackResponder } from "../vocabulary/slack-port.ts";

export interface AnswersParts {
	readonly port: SlackResponder;
	readonly clock: Clock;
	readonly log: Logger;
}

/** People are shown a failure after three seconds, of which the network takes its part. */
const answeredMs = 1500;

const busy = "I have too much to do at the moment. Please try again in a minute.";
const failed = "I could not take that. Please try again in a moment.";

/** Words that only the one sees to whom they are said. */
export function privately(text: string): Readonly<Record<string, unknown>> {
	return { response_type: "ephemeral", replace_original: false, text };
}

/** Answers what people wait for before a clock. */
export class Answers {
	readonly #parts: AnswersParts;
	readonly #running = new Set<Promise<unknown>>();

	constructor(parts: AnswersParts) {
		this.#parts = parts;
	}

	/**
	 * Resolves in time with what is sent back with the acknowledgement. What the work comes to in words, or that it failed,
	 * is said there as `reply` puts it; where that takes too long or `reply` is not there, in private afterwards.
	 */
	async inTime(
		work: Promise<string | undefined>,
		place: AnswerTarget,
		reply?: (words: string) => SlackReply,
	): Promise<SlackReply> {
		const { clock, log } = this.#parts;
		const said = work.catch((reason: unknown) => {
			const error = ParleyError.from(reason);
			log.error("an interaction was not taken", { user: place.user, channel: place.channel, error });
			return error.code === "resource_exhausted" ? busy : failed;
		});
		const over = new AbortController();
		const late = delay(clock, answeredMs, over.signal).then(() => undefined);
		const first = await Promise.race([said.then((words) => ({ words })), late]);
		over.abort();
		if (first && reply) return first.words === undefined ? undefined : reply(first.words);
		this.run(said.then((words) => (words === undefined ? undefined : this.postPrivately(place, words))));
		return undefined;
	}

	/** Says something to the one who asked for something, where they did. */
	async postPrivately({ url, channel, user, thread }: AnswerTarget, text: string): Promise<void> {
		const { port, log } = this.#parts;
		const there = thread === undefined ? {} : { thread_ts: thread };
		const inPlace = (): Promise<SlackAnswer> =>
			port.call({ method: "chat.postEphemeral", args: { channel, user, text, ...there } });
		const byUrl = async (to: string): Promise<SlackAnswer> => {
			const answer = await port.respond(to, { ...privately(text), ...there });
			// An address takes some answers for a while; then the channel shows it.
			return answer.type === "refused" ? inPlace() : answer;
		};
		const answer = await (url === undefined ? inPlace() : byUrl(url)).catch(ParleyError.from);
		if (!(answer instanceof ParleyError) && answer.type === "ok") return;
		const why = answer instanceof ParleyError ? answer.message : answer.type;
		log.error("nobody could be told what came of an interaction", { user, channel, why });
	}

	/** Lets something go on behind the acknowledgement. */
	run(work: Promise<unknown>): void {
		const running = work
			.catch((error: unknown) => this.#parts.log.error("an interaction was not answered", { error }))
			.finally(() => this.#running.delete(running));
		this.#running.add(running);
	}

	/** Resolves when nothing goes on any more. */
	async settled(): Promise<void> {
		await Promise.all(this.#running);
	}
}

/** A `response_url` takes five answers in so long: https://docs.slack.dev/interactivity/handling-user-interaction#responses */
const answerableMs = 30 * 60_000;

/** Where somebody is answered in private. */
export interface AnswerTarget {
	readonly url?: string | undefined;
	readonly channel: string;
	readonly user: string;
	/** The timestamp of the thread that they see. */
	readonly thread?: string | undefined;
}

/** `id` is that of what is answered: a trigger. */
export function ticketFor(id: string, at: number, { url, channel, user, thread }: AnswerTarget): Ticket {
	const token = JSON.stringify({ url, channel, user, thread });
	return { id, token, expiresAt: at + answerableMs };
}
