import { DeliveryError, type OutboxRow, type Receipt } from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import { readComponents, textOfMessage } from "../vocabulary/components.ts";
import { limits } from "../vocabulary/limits.ts";
import { momentOf, snowflakeAt } from "../vocabulary/snowflake.ts";
import type { Caller } from "./caller.ts";
import type { Draft } from "./check.ts";
import { fileRefusals, withoutFiles } from "./drafts.ts";
import { hasIdentity } from "./identity.ts";
import { channelOf, type PostChannels } from "./post-channels.ts";
import { cardIdentity, type Post, type Posts } from "./posts.ts";

const Found = z.object({
	id: z.string().regex(/^\d+$/),
	author: z.object({ id: z.string() }),
	content: z.string(),
	nonce: z.union([z.string(), z.number()]).optional(),
	attachments: z.array(z.object({ filename: z.string() })).default([]),
	message_reference: z.object({ message_id: z.string().optional() }).nullish(),
	components: z.array(z.unknown()).default([]).catch([]),
});
export type Found = z.output<typeof Found>;

const Channel = z.object({ last_message_id: z.string().regex(/^\d+$/).nullish() });

/** Maximum assumed difference in milliseconds between the clocks of Parley and Discord. */
const skewMs = 10_000;
/** Maximum number of pages that are searched for a post. */
const maxPages = 10;
/** Maximum number of claimed messages in memory. */
const maxClaimed = 5000;

export interface FinderParts {
	readonly caller: Caller;
	readonly places: PostChannels;
	readonly posts: Posts;
	/** Returns the id of the outbox row that created the message `message`, or undefined if no row is known. */
	readonly ownerOf: (message: string) => Promise<string | undefined>;
	/** User id of the bot. */
	readonly user: string;
}

/**
 * Finds posts that an interrupted request may have created. Searches the messages since the time of the post's row.
 */
export class Finder {
	readonly #parts: FinderParts;
	/**
	 * Row id by message, because two rows may have the same text. The oldest claims are removed, and `ownerOf`
	 * finds the stored row for them.
	 */
	readonly #claimed = new Map<string, string>();

	constructor(parts: FinderParts) {
		this.#parts = parts;
	}

	/** Records that the message belongs to this row, and therefore to no other row. */
	claim({ id }: { readonly id: string }, message: string): void {
		this.#claimed.set(message, id);
		for (const oldest of this.#claimed.keys()) {
			if (this.#claimed.size <= maxClaimed) break;
			this.#claimed.delete(oldest);
		}
	}

	async find(row: OutboxRow, post: Post): Promise<Receipt | undefined> {
		const drafts = await this.#drafts(row, post);
		const isOwnPost = (message: Found): Promise<boolean> => this.#isOwnPost(message, row, { post, drafts });
		const { since = row.at } = post;
		const inPlace = await this.#parts.places.act(row, post.thread, (channel) =>
			this.#search(channel, since, isOwnPost),
		);
		// If the thread is locked, the post may be in the channel.
		const isElsewhere = inPlace === undefined && post.thread !== undefined;
		const found = isElsewhere ? await this.#search(channelOf(row.conversation), since, isOwnPost) : inPlace;
		if (found === undefined) return undefined;
		this.claim(row, found.id);
		return { remote: found.id };
	}

	/**
	 * Returns the messages that may have been sent for a row. They include drafts without files: Parley's gateway may
	 * have lost the file, or Discord may have refused it.
	 */
	async #drafts(row: OutboxRow, post: Post): Promise<Draft[]> {
		const { posts } = this.#parts;
		const fullDraft = await posts.draft(row, post, async ({ size }) => new Uint8Array(size));
		const drafts =
			post.upload === undefined
				? [fullDraft]
				: [fullDraft, await posts.draft(row, post, async () => undefined)];
		return drafts.flatMap((draft) =>
			draft.files.length > 0 ? [draft, ...fileRefusals.map((why) => withoutFiles(draft, why))] : [draft],
		);
	}

	/**
	 * Finds a message that `fits`, posted since `at`. Returns the oldest one, because the rows of a conversation are
	 * searched in order.
	 */
	async #search(
		channel: string,
		at: number,
		fits: (message: Found) => Promise<boolean>,
	): Promise<Found | undefined> {
		const since = snowflakeAt(at - skewMs);
		let after = since;
		for (let page = 0; page < maxPages; page++) {
			const messages = await this.#page(channel, { after, limit: String(limits.messagesPerPage) });
			for (const message of messages) {
				if (momentOf(message.id) >= at - skewMs && (await fits(message))) return message;
			}
			const newest = messages.at(-1);
			if (newest === undefined && after === since) await this.#demandHistory(channel, since);
			if (newest === undefined || messages.length < limits.messagesPerPage) return undefined;
			after = newest.id;
		}
		throw new DeliveryError(deliveryTexts.tooManyMessages({ channel }), {
			kind: "rejected",
		});
	}

	/**
	 * Reads one page of a channel's messages. Returns the oldest message first: resources/message#get-channel-messages
	 */
	async #page(channel: string, query: Readonly<Record<string, string>>): Promise<Found[]> {
		const request = { method: "GET", path: `/channels/${channel}/messages`, query } as const;
		const { body } = await this.#parts.caller.ask(request, "read", channel);
		const messages = z.array(Found).safeParse(body);
		if (!messages.success) throw new DeliveryError(deliveryTexts.noMessages, { kind: "unknown" });
		return messages.data.toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
	}

	/**
	 * Rejects if the bot may not read the history. Discord then returns an empty list without an error:
	 * resources/message#get-channel-messages
	 */
	async #demandHistory(channel: string, since: string): Promise<void> {
		const { caller } = this.#parts;
		const { body } = await caller.ask({ method: "GET", path: `/channels/${channel}` }, "read", channel);
		const last = Channel.safeParse(body).data?.last_message_id ?? "0";
		if (BigInt(last) <= BigInt(since) || (await this.#page(channel, { limit: "1" })).length > 0) return;
		throw new DeliveryError(deliveryTexts.noHistory({ channel }), { kind: "rejected" });
	}

	async #isOwnPost(
		message: Found,
		row: OutboxRow,
		{ post, drafts }: { readonly post: Post; readonly drafts: readonly Draft[] },
	): Promise<boolean> {
		const { id, nonce } = row;
		if (message.author.id !== this.#parts.user) return false;
		const claimed = this.#claimed.get(message.id);
		if (claimed !== undefined) return claimed === id;
		if (message.nonce !== undefined) return message.nonce === nonce;
		const identity = cardIdentity(row, post);
		const isCard = identity && hasIdentity(message.components, identity);
		if (!(isCard ?? drafts.some((draft) => looksLike(message, post, draft)))) return false;
		return ((await this.#parts.ownerOf(message.id)) ?? id) === id;
	}
}

function looksLike(
	message: Found,
	{ marker, state, replyTo, buttons = [] }: Post,
	{ content, files }: Draft,
): boolean {
	const ids = readComponents(message.components).map((each) => each.custom_id);
	const text = textOfMessage(message);
	// The message may show an unfinished state of the answer. Its text then differs, but its button is one of `buttons`.
	if (ids.some((id) => id !== undefined && buttons.includes(id))) return true;
	// Earlier versions of Parley wrote a marker into each card. Edits keep the marker.
	const isMarked = marker !== undefined && unescaped(text).includes(unescaped(marker));
	if (isMarked || (marker !== undefined && state === undefined)) return isMarked;
	const { attachments, message_reference: reference } = message;
	return (
		shown(text) === shown(content) &&
		// If the target of a reply was deleted before the post, the post has no reference.
		(reference?.message_id ?? replyTo) === replyTo &&
		attachments.length === files.length &&
		files.every(({ name }, index) => isNamed(attachments[index]?.filename ?? "", name))
	);
}

function unescaped(text: string): string {
	// Markdown may escape characters of the marker.
	return text.replaceAll("\\", "");
}

/** Removes invisible characters and repeated blanks, which Discord may change. */
function shown(text: string): string {
	return text
		.normalize()
		.replace(/\p{Cf}|\uFE0F/gu, "")
		.replace(/\s+/g, " ")
		.trim();
}

function isNamed(filename: string, name: string): boolean {
	// Discord changes names: it drops punctuation, replaces blanks with underscores, and renames a file whose letters
	// all belong to other scripts (discord/discord-api-docs #7754, #6945).
	return letters(filename) === letters(name) || /\P{ASCII}/u.test(name);
}

function letters(name: string): string {
	return name.normalize("NFKD").replace(/[^a-zA-Z0-9]/g, "");
}
