import type { Clock, Logger } from "@parley/base";
import {
	limitConversation,
	type OutboxRow,
	type Receipt,
	type Request,
	readPosting,
	readUpload,
	type Surface,
	type UploadReader,
} from "@parley/connector";
import { placeOf } from "../conversation.ts";
import { limits } from "../limits.ts";
import type { OwnAccount, SlackPort } from "../slack-port.ts";
import { Caller } from "./caller.ts";
import { History } from "./history.ts";
import { Places } from "./places.ts";
import { type Post, Posts } from "./posts.ts";
import { PrivateAnswers } from "./private-answers.ts";
import { everything, RateLimits } from "./rate-limits.ts";
import { SharedFiles } from "./shared-files.ts";
import { StatusLine } from "./status-line.ts";

/** What Slack is shown things with. */
export interface SurfaceParts {
	readonly port: SlackPort;
	readonly self: OwnAccount;
	/** The message of a card, once it is posted: `Outbox.posted`. */
	readonly cards: (card: string) => Promise<string | undefined>;
	/** Reads a file that the gateway keeps: `GatewayFiles.download`. */
	readonly readFile: UploadReader;
	readonly clock: Clock;
	readonly log: Logger;
	/** Aborts when it is time to stop: what may be left undone is not tried again. */
	readonly signal?: AbortSignal;
}

/** Slack as the outbox needs it. A post's `remote` is its message id (`messageId`), a thread's that of the card it is below. */
export class SlackSurface implements Surface {
	readonly #limits: RateLimits;
	readonly #places: Places;
	readonly #posts: Posts;
	readonly #answers: PrivateAnswers;
	readonly #status: StatusLine;

	constructor({ port, self, cards, readFile, clock, log, signal }: SurfaceParts) {
		this.#limits = new RateLimits(clock);
		this.#places = new Places(cards, clock);
		const caller = new Caller({ port, limits: this.#limits, clock, log });
		const history = new History(caller, self);
		const files = new SharedFiles({ caller, history });
		const read = { read: readFile, most: limits.fileBytes, clock, log };
		this.#posts = new Posts({
			...{ caller, places: this.#places, history, files, log },
			read: (upload) => readUpload(upload, read),
		});
		this.#answers = new PrivateAnswers({ caller, files, clock, log });
		this.#status = new StatusLine({ caller, clock, log, signal });
	}

	async send(row: OutboxRow): Promise<Receipt> {
		const posting = readPosting(row);
		return limitConversation(this, row, async () => {
			switch (posting.type) {
				case "post":
					return this.#post(row, posting);
				case "thread":
					return { remote: await this.#places.messageOf(row, posting.card) };
				case "private":
					return this.#answers.answer(row, posting);
			}
		});
	}

	async find(row: OutboxRow): Promise<Receipt | undefined> {
		const posting = readPosting(row);
		return limitConversation(this, row, async () => {
			switch (posting.type) {
				case "post":
					return this.#posts.find(row, posting);
				case "thread":
					return { remote: await this.#places.messageOf(row, posting.card) };
				case "private":
					return this.#answers.find(posting);
			}
		});
	}

	/** Slack has no key that keeps a request from posting twice: https://github.com/slackapi/slack-api-specs/issues/10 */
	dedupeWindowMs(): number {
		return 0;
	}

	typing(conversation: string, doing?: string): Promise<void> {
		return this.#status.show(conversation, doing);
	}

	/** Nobody is at work in a conversation any more, whatever Slack shows there. Never rejects. */
	stopped(conversation: string): Promise<void> {
		return this.#status.end(conversation);
	}

	scopes({ conversation, lane, edits }: Request): readonly string[] {
		const channel = placeOf(conversation)?.channel;
		if (channel === undefined) return [conversation, everything];
		const method =
			lane === "typing" ? "agents.sessions.setStatus" : edits ? "chat.update" : "chat.postMessage";
		return [conversation, ...this.#limits.scopes({ method, channel, lane })];
	}

	async #post(row: OutboxRow, post: Post): Promise<Receipt> {
		const { target, conversation, lane } = row;
		if (target !== undefined) return this.#posts.edit(row, post, target);
		const receipt = await this.#posts.create(row, post);
		// It is posted, whatever becomes of the sign.
		void this.#status.posted(conversation, lane);
		return receipt;
	}
}

/** What `ChatPlatform.limits` says of Slack. A post has room left for what its blocks add to its text. */
export const postLimits = {
	...{ post: 11_000, postsPerAnswer: 6, buttonLabel: limits.buttonText, controlsPerRow: 5 },
	/** A row is a block, and each of its calls needs room for its text. */
	controlRows: 10,
	...{ options: limits.options, optionText: limits.optionText, threadName: 200 },
};
