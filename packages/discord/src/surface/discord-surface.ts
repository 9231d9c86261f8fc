import { type Clock, createCache, type Logger } from "@parley/base";
import {
	type SurfaceParts as CommonParts,
	composeSurface,
	DeliveryError,
	type OutboxRow,
	type Posting,
	type Receipt,
	reactionsOf,
	type Surface,
} from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import type { DiscordPort, OwnAccount } from "../vocabulary/discord-port.ts";
import { cutTo, errorCodes, limits } from "../vocabulary/limits.ts";
import { linkToRoom } from "../vocabulary/links.ts";
import { Caller } from "./caller.ts";
import { Finder } from "./find-post.ts";
import { channelOf, PostChannels } from "./post-channels.ts";
import { Posts } from "./posts.ts";
import { PrivateAnswers, type Tickets } from "./private-answers.ts";
import { RateLimits, type Route } from "./rate-limits.ts";
import { Reactions } from "./reactions.ts";
import { Refused } from "./refused.ts";
import { type ThreadNameStore, ThreadTitles } from "./thread-names.ts";

export interface SurfaceParts extends CommonParts {
	readonly port: DiscordPort;
	readonly self: OwnAccount;
	/** Returns the id of the outbox row that created the message `message`, or undefined if no row is known. */
	readonly ownerOf: (message: string) => Promise<string | undefined>;
	/** Names that the connector gave to threads. */
	readonly names: ThreadNameStore;
	/** Interactions for which the first answer is pending. Shared with `Interactions`. */
	readonly tickets: Tickets;
	/** Global rate limit of the bot; see `RunDiscordOptions`. */
	readonly requestsPerSecond?: number | undefined;
}

/** Pattern of the conversations for private answers. Such a conversation contains no other posts. */
const ticketConversation = /^ticket:/;

/**
 * Returns Discord's surface for the outbox. A repetition within `dedupeWindowMs` creates no second post, thread
 * or private answer:
 * - posts have an enforced nonce
 * - a message starts at most one thread (error 160004)
 * - a repeated private answer replaces the first one
 */
export function discordSurface(parts: SurfaceParts): Surface {
	const { port, self, ownerOf, tickets, clock, log } = parts;
	const rateLimits = new RateLimits(clock, parts.requestsPerSecond);
	const caller = new Caller({ port, limits: rateLimits, clock, log });
	return composeSurface(parts, limits.fileBytes, ({ cards, read }) => {
		const places = new PostChannels(cards, clock);
		const posts = new Posts({ caller, places, log, read });
		const threads = new Threads({ caller, places, log });
		const answers = new PrivateAnswers({ caller, tickets, self, clock });
		const finder = new Finder({ caller, places, posts, ownerOf, user: self.user });
		const titles = new ThreadTitles({ caller, names: parts.names, user: self.user, clock, log });
		const reactions = new Reactions({ caller, posts, finder, clock, log });
		return {
			post: {
				async create(row, post) {
					const receipt = await posts.create(row, post);
					finder.claim(row, receipt.remote);
					return receipt;
				},
				edit: (row, post, target) => posts.edit(row, post, target),
				remove: (row, target) => posts.remove(row, target),
				find: (row, post) => finder.find(row, post),
			},
			notices: {
				direct: (_row, person) => openDirect(caller, person),
				channel: (_row, channel) => channel,
			},
			linkTo: (room, post) => `${linkToRoom(room)}/${post}`,
			thread: {
				send: (row, thread) => threads.open(row, thread),
				find: (row, thread) => threads.find(row, thread),
			},
			private: {
				send: (_row, answer) => answers.answer(answer),
				find: (_row, answer) => answers.find(answer),
			},
			reaction: {
				send: (row, reaction) => reactions.send(row, reaction),
				find: (row, reaction) => reactions.find(row, reaction),
			},
			title: (row, { title }) => titles.show(row, title),
			typing: typingIn(caller, clock),
			scopes({ conversation, lane, edits }) {
				if (ticketConversation.test(conversation)) return [conversation];
				const route: Route = lane === "typing" ? "typing" : edits ? "edit" : "create";
				const routes = conversation.endsWith(reactionsOf) ? [route, "reaction" as const] : [route];
				const channels = places.channelsOf(conversation);
				const scopes = channels.flatMap((channel) =>
					routes.flatMap((each) => rateLimits.scopes(each, channel, lane)),
				);
				return [conversation, ...new Set(scopes)];
			},
			dedupeWindowMs: () => limits.nonceMs,
		};
	});
}

const Opened = z.object({ id: z.string() });

/** Opens the direct messages with a person, and returns their channel id: resources/user#create-dm */
async function openDirect(caller: Caller, person: string): Promise<string> {
	const request = { method: "POST", path: "/users/@me/channels", body: { recipient_id: person } } as const;
	const opened = Opened.safeParse((await caller.ask(request, "create")).body);
	if (opened.success) return opened.data.id;
	throw new DeliveryError(deliveryTexts.noDirectMessages, { kind: "unknown" });
}

/** Time in milliseconds for which a channel that refused the typing indicator is not asked again. */
const quietMs = 10 * 60_000;
const maxQuiet = 10_000;

function typingIn(caller: Caller, clock: Clock): Surface["typing"] {
	const quiet = createCache<string, true>({ clock, max: maxQuiet, retentionMs: quietMs });
	return async (conversation) => {
		const channel = channelOf(conversation);
		if (ticketConversation.test(conversation) || quiet.has(channel)) return;
		const request = { method: "POST", path: `/channels/${channel}/typing` } as const;
		try {
			await caller.ask(request, "typing", channel);
		} catch (error) {
			if (DeliveryError.from(error).isRefusal) quiet.set(channel, true);
			throw error;
		}
	};
}

/**
 * Limits of Discord for `ChatPlatform.limits`. `post` is below Discord's limit, because the end of a code fence or a
 * badge may follow the text.
 */
export const postLimits = {
	post: 1900,
	postsPerAnswer: 6,
	buttonLabel: limits.buttonLabel,
	controlsPerRow: limits.buttonsPerRow,
	controlRows: limits.rows,
	options: limits.options,
	optionText: limits.optionText,
	threadName: limits.threadName,
	form: { fields: limits.modalFields, name: limits.customId - 2, text: limits.fieldText },
};

type ThreadPosting = Extract<Posting, { type: "thread" }>;

const [, , , weekOfMinutes] = limits.threadArchives;
/** Errors after which a card has no thread. Threads and direct messages cannot contain threads. */
const withoutThread: ReadonlySet<number | undefined> = new Set([
	errorCodes.tooManyThreads,
	errorCodes.wrongChannelType,
	errorCodes.missingPermissions,
]);

/** Threads of cards. A thread has the id of the message from which it was opened: topics/threads */
class Threads {
	readonly #parts: { readonly caller: Caller; readonly places: PostChannels; readonly log: Logger };

	constructor(parts: { readonly caller: Caller; readonly places: PostChannels; readonly log: Logger }) {
		this.#parts = parts;
	}

	/** Opens the thread of a card. If no thread is possible, the card's posts go to the channel. */
	async open(row: OutboxRow, { card, name }: ThreadPosting): Promise<Receipt> {
		const { caller, places, log } = this.#parts;
		const message = await places.messageOf(row, card);
		const channel = channelOf(row.conversation);
		const body = { name: cutTo(name, limits.threadName), auto_archive_duration: weekOfMinutes };
		try {
			const path = `/channels/${channel}/messages/${message}/threads`;
			const { limits: empty } = await caller.ask({ method: "POST", path, body }, "thread", channel);
			return { remote: message, limits: empty };
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			if (error.fault === errorCodes.threadExists) return { remote: message };
			if (!withoutThread.has(error.fault)) throw error;
			places.hasNoThread(message);
			log.warn("a task has no thread, so its posts go to the channel", { card, reason: error.message });
			return { remote: message };
		}
	}

	async find(row: OutboxRow, { card }: ThreadPosting): Promise<Receipt | undefined> {
		const { caller, places } = this.#parts;
		const message = await places.messageOf(row, card);
		try {
			await caller.ask({ method: "GET", path: `/channels/${message}` }, "read", message);
			return { remote: message };
		} catch (error) {
			if (error instanceof Refused && error.fault === errorCodes.unknownChannel) return undefined;
			throw error;
		}
	}
}
