import { type Cache, type Clock, createCache, type Logger } from "@parley/base";
import { DeliveryError, type OutboxRow, type Posting, type Receipt, statusEmoji } from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import { errorCodes } from "../vocabulary/limits.ts";
import type { Caller } from "./caller.ts";
import type { Finder } from "./find-post.ts";
import { channelOf } from "./post-channels.ts";
import type { Posts } from "./posts.ts";
import { Refused } from "./refused.ts";

type Reaction = Extract<Posting, { type: "reaction" }>;

/** Reactions of a message: resources/message#reaction-object. `me` is true if the bot reacted. */
const Reacted = z.object({
	reactions: z
		.array(z.object({ me: z.boolean(), emoji: z.object({ name: z.string().nullish() }) }))
		.default([]),
});

const Thread = z.object({ parent_id: z.string().nullish() });

/** Time in milliseconds for which a channel that refused a reaction gets notices. */
const quietMs = 10 * 60_000;
const maxQuiet = 10_000;

/** Prefix of a reaction's remote id. An emoji may follow the prefix. The remote id of a notice is its message id. */
const prefix = "reaction:";

/** Error codes that apply to all messages of a channel. All other codes apply to one message. */
const ofTheChannel: ReadonlySet<number | undefined> = new Set([
	errorCodes.missingAccess,
	errorCodes.missingPermissions,
]);

interface ReactionsParts {
	readonly caller: Caller;
	readonly posts: Posts;
	readonly finder: Finder;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Reactions that show the state of messages. In a channel that refuses the bot's reactions, only the states with a
 * notice are shown.
 */
export class Reactions {
	readonly #parts: ReactionsParts;
	readonly #quiet: Cache<string, true>;
	/** Parent channel of each thread. */
	readonly #parents: Cache<string, string>;
	/** The bot's other reactions to a message, by the id of the row for which the message was read. */
	readonly #others: Cache<string, readonly string[]>;

	constructor(parts: ReactionsParts) {
		this.#parts = parts;
		this.#quiet = createCache({ clock: parts.clock, max: maxQuiet, retentionMs: quietMs });
		this.#parents = createCache({ clock: parts.clock, max: maxQuiet });
		this.#others = createCache({ clock: parts.clock, max: maxQuiet, retentionMs: quietMs });
	}

	async send(row: OutboxRow, reaction: Reaction): Promise<Receipt> {
		const { target } = row;
		const { emoji, notice } = reaction;
		if (target !== undefined && !target.startsWith(prefix)) {
			if (notice) return this.#parts.posts.edit(row, notice, target);
			await this.#parts.posts.remove(row, target);
			return this.#replace(row, reaction, []);
		}
		if (target === remoteOf(emoji)) return { remote: target };
		return this.#replace(row, reaction, await this.#earlier(row, reaction));
	}

	/**
	 * Returns the bot's earlier reactions. Reads them from Discord at the end of a run. Also reads them after an
	 * interrupted attempt, because the attempt may have left the previous reaction.
	 */
	async #earlier({ id, target, attempt, conversation }: OutboxRow, reaction: Reaction): Promise<string[]> {
		const { message, emoji } = reaction;
		const isOver = emoji !== "👀" && emoji !== "⏳";
		if (isOver || attempt > 1) return [...((await this.#own({ conversation }, message)) ?? [])];
		const shown = target?.slice(prefix.length) ?? "";
		return [...new Set([shown, ...(this.#others.get(id) ?? [])])].filter((each) => each !== "");
	}

	async find(row: OutboxRow, { message, emoji, notice }: Reaction): Promise<Receipt | undefined> {
		const own = await this.#own(row, message);
		// A second reaction means that the previous request was interrupted.
		const isShown = own?.every((each) => each === emoji) && own.length === (emoji === undefined ? 0 : 1);
		if (isShown) return { remote: remoteOf(emoji) };
		this.#others.set(row.id, own ?? []);
		return notice && this.#parts.finder.find(row, notice);
	}

	/** Adds the new reaction before it removes others, so that a reaction is always visible. */
	async #replace(row: OutboxRow, reaction: Reaction, earlier: readonly string[]): Promise<Receipt> {
		const { message, emoji, notice } = reaction;
		const added = emoji === undefined ? ({ is: "added" } as const) : await this.#add(row, message, emoji);
		if (added.is === "gone") return { remote: remoteOf(undefined) };
		for (const other of earlier) if (other !== emoji) await this.#remove(row, message, other);
		if (added.is === "added") return { remote: remoteOf(emoji), limits: added.limits ?? [] };
		return notice ? this.#notify(row, notice) : { remote: remoteOf(undefined) };
	}

	async #notify(row: OutboxRow, notice: NonNullable<Reaction["notice"]>): Promise<Receipt> {
		const { posts, finder } = this.#parts;
		const { target: _, ...fresh } = row;
		const receipt = await posts.create(fresh, notice);
		finder.claim(row, receipt.remote);
		return receipt;
	}

	/** Adds a reaction: resources/message#create-reaction */
	async #add(
		{ conversation }: OutboxRow,
		message: string,
		emoji: string,
	): Promise<{
		readonly is: "added" | "refused" | "gone";
		readonly limits?: NonNullable<Receipt["limits"]>;
	}> {
		const { caller, log } = this.#parts;
		try {
			const channel = await this.#channelOf(conversation, message);
			if (this.#quiet.has(channel)) return { is: "refused" };
			const path = pathOf(channel, message, emoji);
			const { limits } = await caller.ask({ method: "PUT", path }, "reaction", channel);
			return { is: "added", limits };
		} catch (error) {
			const { kind, isRefusal, message: reason } = DeliveryError.from(error);
			if (kind === "gone") return { is: "gone" };
			if (!isRefusal) throw error;
			const channel = await this.#channelOf(conversation, message);
			if (error instanceof Refused && ofTheChannel.has(error.fault)) this.#quiet.set(channel, true);
			log.warn(deliveryTexts.mayNotReact, { channel, reason });
			return { is: "refused" };
		}
	}

	async #remove({ conversation }: OutboxRow, message: string, emoji: string): Promise<void> {
		try {
			const channel = await this.#channelOf(conversation, message);
			const path = pathOf(channel, message, emoji);
			await this.#parts.caller.ask({ method: "DELETE", path }, "reaction", channel);
		} catch (error) {
			// After a refusal, the reaction stays: resources/message#delete-own-reaction
			if (!DeliveryError.from(error).isRefusal) throw error;
		}
	}

	async #channelOf(conversation: string, message: string): Promise<string> {
		const channel = channelOf(conversation);
		// The message from which a thread was opened has the thread's id, but is in the parent channel.
		if (message !== channel) return channel;
		const known = this.#parents.get(channel);
		if (known !== undefined) return known;
		const request = { method: "GET", path: `/channels/${channel}` } as const;
		const { body } = await this.#parts.caller.ask(request, "read", channel);
		const parent = Thread.safeParse(body).data?.parent_id ?? channel;
		this.#parents.set(channel, parent);
		return parent;
	}

	/** Returns the bot's status reactions to a message, or undefined if Discord refuses to show the message. */
	async #own(
		{ conversation }: Pick<OutboxRow, "conversation">,
		message: string,
	): Promise<readonly string[] | undefined> {
		try {
			const channel = await this.#channelOf(conversation, message);
			const path = `/channels/${channel}/messages/${message}`;
			const { body } = await this.#parts.caller.ask({ method: "GET", path }, "read", channel);
			const { reactions } = Reacted.parse(body);
			const own = reactions.flatMap(({ me, emoji }) => (me && emoji.name ? [emoji.name] : []));
			return own.filter((emoji) => statusEmoji.some((each) => each === emoji));
		} catch (error) {
			if (DeliveryError.from(error).isRefusal) return undefined;
			throw error;
		}
	}
}

function remoteOf(emoji: string | undefined): string {
	return `${prefix}${emoji ?? ""}`;
}

function pathOf(channel: string, message: string, emoji: string): string {
	return `/channels/${channel}/messages/${message}/reactions/${encodeURIComponent(emoji)}/@me`;
}
