import { type Clock, defined, type Logger, parseJson } from "@parley/base";
import { DeliveryError, type OutboxRow, type Posting, type Receipt } from "@parley/connector";
import * as z from "zod";
import type { OutgoingMessage } from "../blocks/check-message.ts";
import { deliveryTexts } from "../texts/delivery.ts";
import { postTexts } from "../texts/post.ts";
import type { Caller } from "./caller.ts";
import { draftOf, smallLine } from "./drafts.ts";
import { quiet, textFile } from "./posts.ts";
import type { SharedFile, SharedFiles } from "./shared-files.ts";

export type PrivateAnswer = Extract<Posting, { type: "private" }>;

/** Target of an answer, which `ticketFor` writes. */
const Token = z.object({
	url: z.string().optional(),
	channel: z.string(),
	user: z.string(),
	thread: z.string().optional(),
});
type Token = z.output<typeof Token>;

/** Maximum milliseconds by which the clocks of this machine and of Slack may differ. */
const filesSkewMs = 10_000;

/** Opened direct messages: https://docs.slack.dev/reference/methods/conversations.open */
export const Opened = z.object({ channel: z.object({ id: z.string() }) });

export interface PrivateAnswersParts {
	readonly caller: Caller;
	readonly files: SharedFiles;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Private answers, which only the acting person sees. Slack does not store them, so an answer with an unknown
 * result is posted again. Files go to the person's direct messages.
 */
export class PrivateAnswers {
	readonly #parts: PrivateAnswersParts;

	constructor(parts: PrivateAnswersParts) {
		this.#parts = parts;
	}

	/** Posts an answer. An empty answer is not posted, because Slack has no loading indicator to remove. */
	async answer(row: OutboxRow, answer: PrivateAnswer): Promise<Receipt> {
		const { ticket, controls = [] } = answer;
		this.#checkTime(answer);
		if (isEmpty(answer)) return { remote: ticket.id };
		const token = tokenOf(answer);
		const { file: rest } = draftOf({ body: answer.body, controls });
		const files = [answer.file, rest].flatMap((text) => (text ? [textFile(text)] : []));
		const body = answer.body + (await this.#inDirect(row, token, files));
		await this.#post(token, draftOf({ body, controls, instead: files[0]?.name ?? "" }).message);
		return { remote: ticket.id };
	}

	/** Returns a receipt for an empty answer. Undefined for any other answer, which must be posted again. */
	async find(answer: PrivateAnswer): Promise<Receipt | undefined> {
		this.#checkTime(answer);
		return isEmpty(answer) ? { remote: answer.ticket.id } : undefined;
	}

	async #post({ url, channel, user, thread }: Token, message: OutgoingMessage): Promise<void> {
		const { caller } = this.#parts;
		const there = defined({ ...message, thread_ts: thread });
		const shown = { ...there, response_type: "ephemeral", replace_original: false };
		// A `response_url` accepts a limited number of answers
		// (interactivity/handling-user-interaction#message_responses). After that, `chat.postEphemeral` is used.
		const refused =
			url === undefined
				? true
				: await caller.respond(url, shown).then(
						() => undefined,
						(error: unknown) => {
							if (DeliveryError.from(error).isRefusal) return true;
							throw error;
						},
					);
		if (refused === undefined) return;
		await caller.ask({ method: "chat.postEphemeral" }, { channel, user, ...there, ...quiet });
	}

	/** Shares the files in the person's direct messages. Returns a note for the end of the answer. */
	async #inDirect(row: OutboxRow, { user }: Token, files: readonly SharedFile[]): Promise<string> {
		if (files.length === 0) return "";
		const { caller, files: shared, log } = this.#parts;
		try {
			const { body } = await caller.ask({ method: "conversations.open" }, { users: user });
			const opened = Opened.safeParse(body);
			if (!opened.success) throw new DeliveryError(deliveryTexts.noConversation, { kind: "rejected" });
			const postTarget = { channel: opened.data.channel.id };
			const allFiles = files.map((file) => ({ ...file, size: file.bytes.length }));
			// A duplicate file does less harm than an earlier file that is mistaken for this one.
			const when = { key: row.id, since: row.at - filesSkewMs };
			const missing = row.attempt > 1 ? await shared.missing(allFiles, postTarget, when) : allFiles;
			await shared.share(await shared.upload(missing), missing, postTarget);
			return smallLine(postTexts.filesInDirectMessages({ count: files.length }));
		} catch (error) {
			const { isRefusal, message } = DeliveryError.from(error);
			if (!isRefusal) throw error;
			log.warn("a private answer was sent without its file", { user, reason: message });
			return smallLine(postTexts.filesNotSent({ count: files.length }));
		}
	}

	#checkTime({ expiresAt }: PrivateAnswer): void {
		if (this.#parts.clock.now() < expiresAt) return;
		throw new DeliveryError(deliveryTexts.privateAnswerExpired, { kind: "gone" });
	}
}

function tokenOf({ ticket }: PrivateAnswer): Token {
	const token = Token.safeParse(parseJson(ticket.token));
	if (token.success) return token.data;
	throw new DeliveryError(deliveryTexts.invalidTicket(ticket), { kind: "rejected" });
}

function isEmpty({ body, file }: PrivateAnswer): boolean {
	return body.trim() === "" && file === undefined;
}
