import { type Clock, type Logger, RecentMap } from "@parley/base";
import {
	DeliveryError,
	limitConversation,
	type OutboxRow,
	type Receipt,
	type Request,
	readPosting,
	readUpload,
	type Surface,
	type UploadReader,
} from "@parley/connector";
import type { DiscordPort } from "../discord-port.ts";
import type { Tickets } from "../interactions/tickets.ts";
import { limits } from "../limits.ts";
import type { OwnAccount } from "../own-account.ts";
import { Caller } from "./caller.ts";
import { Finder } from "./find-post.ts";
import { channelOf, Places } from "./places.ts";
import { type Post, Posts } from "./posts.ts";
import { PrivateAnswers } from "./private-answers.ts";
import { RateLimits } from "./rate-limits.ts";
import { Threads } from "./threads.ts";

/** What Discord is shown things with. */
export interface SurfaceParts {
	readonly port: DiscordPort;
	readonly self: OwnAccount;
	/** The message of a card, once it is posted: `Outbox.posted`. */
	readonly cards: (card: string) => Promise<string | undefined>;
	/** The row that a message was posted for; undefined where none is known. */
	readonly ownerOf: (message: string) => Promise<string | undefined>;
	/** Reads a file that the gateway keeps: `GatewayFiles.download`. */
	readonly readFile: UploadReader;
	/** Shared with `Interactions`. */
	readonly tickets: Tickets;
	/** See `RunDiscordOptions`. */
	readonly requestsPerSecond?: number | undefined;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Conversations of private answers: nothing can be shown there but those. */
const ticketConversation = /^ticket:/;
/** A channel in which we may not write is not bothered again for so long with what nobody would miss. */
const quietMs = 10 * 60_000;
const mostQuiet = 10_000;

/** Discord as the outbox needs it. A post's `remote` is its message id, a thread's the id of the thread. */
export class DiscordSurface implements Surface {
	readonly #limits: RateLimits;
	readonly #places: Places;
	readonly #caller: Caller;
	readonly #posts: Posts;
	readonly #threads: Threads;
	readonly #answers: PrivateAnswers;
	readonly #finder: Finder;
	readonly #quiet: RecentMap<string, true>;

	constructor(parts: SurfaceParts) {
		const { port, self, cards, ownerOf, readFile, tickets, clock, log } = parts;
		this.#limits = new RateLimits(clock, parts.requestsPerSecond);
		this.#places = new Places(cards, clock);
		const caller = new Caller({ port, limits: this.#limits, clock, log });
		const places = this.#places;
		this.#caller = caller;
		this.#quiet = new RecentMap({ clock, most: mostQuiet, keptMs: quietMs });
		const read = { read: readFile, most: limits.fileBytes, clock, log };
		this.#posts = new Posts({ caller, places, log, read: (upload) => readUpload(upload, read) });
		this.#threads = new Threads({ caller, places, log });
		this.#answers = new PrivateAnswers({ caller, tickets, self, clock });
		this.#finder = new Finder({ caller, places, posts: this.#posts, ownerOf, user: self.user });
	}

	async send(row: OutboxRow): Promise<Receipt> {
		const posting = readPosting(row);
		return limitConversation(this, row, () => {
			switch (posting.type) {
				case "post":
					return this.#post(row, posting);
				case "thread":
					return this.#threads.open(row, posting);
				case "private":
					return this.#answers.answer(posting);
			}
		});
	}

	async find(row: OutboxRow): Promise<Receipt | undefined> {
		const posting = readPosting(row);
		return limitConversation(this, row, () => {
			switch (posting.type) {
				case "post":
					return this.#finder.find(row, posting);
				case "thread":
					return this.#threads.find(row, posting);
				case "private":
					return this.#answers.find(posting);
			}
		});
	}

	/**
	 * A post has an enforced nonce, a message begins one thread at most (error 160004), and a repeated private answer takes
	 * the place of the first.
	 */
	dedupeWindowMs(): number {
		return limits.nonceMs;
	}

	async typing(conversation: string): Promise<void> {
		const channel = channelOf(conversation);
		if (ticketConversation.test(conversation) || this.#quiet.has(channel)) return;
		const request = { method: "POST", path: `/channels/${channel}/typing` } as const;
		try {
			await this.#caller.ask(request, "typing", channel);
		} catch (error) {
			const { kind } = DeliveryError.from(error);
			if (kind === "rejected" || kind === "gone") this.#quiet.set(channel, true);
			throw error;
		}
	}

	scopes({ conversation, lane, edits }: Request): readonly string[] {
		if (ticketConversation.test(conversation)) return [conversation];
		const route = lane === "typing" ? "typing" : edits ? "edit" : "create";
		const channels = this.#places.channelsOf(conversation);
		return [conversation, ...channels.flatMap((channel) => this.#limits.scopes(route, channel, lane))];
	}

	async #post(row: OutboxRow, post: Post): Promise<Receipt> {
		if (row.target !== undefined) return this.#posts.edit(row, post, row.target);
		const receipt = await this.#posts.create(row, post);
		this.#finder.claim(row, receipt.remote);
		return receipt;
	}
}

/** What `ChatPlatform.limits` says of Discord. A post has room left for what closes a fence, and for a badge. */
export const postLimits = {
	...{ post: 1900, postsPerAnswer: 6, buttonLabel: limits.buttonLabel, controlsPerRow: limits.buttonsPerRow },
	controlRows: limits.rows,
	...{ options: limits.options, optionText: limits.optionText, threadName: limits.threadName },
};
