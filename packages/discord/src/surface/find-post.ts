import { DeliveryError, type OutboxRow, type Receipt } from "@parley/connector";
import * as z from "zod";
import { limits } from "../vocabulary/limits.ts";
import { momentOf, snowflakeAt } from "../vocabulary/snowflake.ts";
import type { Caller } from "./caller.ts";
import type { Draft } from "./check.ts";
import { fileRefusals, withoutFiles } from "./drafts.ts";
import { channelOf, type Places } from "./places.ts";
import type { Post, Posts } from "./posts.ts";

const Found = z.object({
	id: z.string().regex(/^\d+$/),
	author: z.object({ id: z.string() }),
	content: z.string(),
	nonce: z.union([z.string(), z.number()]).optional(),
	attachments: z.array(z.object({ filename: z.string() })).default([]),
	message_reference: z.object({ message_id: z.string().optional() }).nullish(),
});
export type Found = z.output<typeof Found>;

const Channel = z.object({ last_message_id: z.string().regex(/^\d+$/).nullish() });

/** The clocks of the gateway and of Discord may differ by this much. */
const skewMs = 10_000;
/** Of more messages nobody can say whether ours is among them. */
const mostPages = 10;
/** Maximum claimed messages in memory. */
const mostClaimed = 5000;

export interface FinderParts {
	readonly caller: Caller;
	readonly places: Places;
	readonly posts: Posts;
	/** The row that a message was posted for, as it was written down. */
	readonly ownerOf: (message: string) => Promise<string | undefined>;
	/** Our user's id. */
	readonly user: string;
}

/** Looks for posts that may have been made, in what was written since the event that they tell. */
export class Finder {
	readonly #parts: FinderParts;
	/**
	 * The row of each message, because two rows may have the same text. Deduplication, so no cache: the oldest claim goes
	 * first, whatever was read since, and its row is written down by then, where `ownerOf` finds it.
	 */
	readonly #claimed = new Map<string, string>();

	constructor(parts: FinderParts) {
		this.#parts = parts;
	}

	/** The message is this row's, and no other one's. */
	claim({ id }: { readonly id: string }, message: string): void {
		this.#claimed.set(message, id);
		for (const oldest of this.#claimed.keys()) {
			if (this.#claimed.size <= mostClaimed) break;
			this.#claimed.delete(oldest);
		}
	}

	async find(row: OutboxRow, post: Post): Promise<Receipt | undefined> {
		const drafts = await this.#drafts(row, post);
		const isOurs = (message: Found): Promise<boolean> => this.#isOurs(message, row, { post, drafts });
		const inPlace = await this.#parts.places.act(row, post.thread, (channel) =>
			this.#search(channel, row.at, isOurs),
		);
		// Where its thread took nothing more, it went to the room.
		const isElsewhere = inPlace === undefined && post.thread !== undefined;
		const found = isElsewhere ? await this.#search(channelOf(row.conversation), row.at, isOurs) : inPlace;
		if (found === undefined) return undefined;
		this.claim(row, found.id);
		return { remote: found.id };
	}

	/**
	 * With its file and without it, because the gateway may have had it then and not now, or may be away, and because
	 * Discord may have refused it.
	 */
	async #drafts(row: OutboxRow, post: Post): Promise<Draft[]> {
		const { posts } = this.#parts;
		const whole = await posts.draft(row, post, async ({ size }) => new Uint8Array(size));
		const drafts =
			post.upload === undefined ? [whole] : [whole, await posts.draft(row, post, async () => undefined)];
		return drafts.flatMap((draft) =>
			draft.files.length > 0 ? [draft, ...fileRefusals.map((why) => withoutFiles(draft, why))] : [draft],
		);
	}

	/** The first that fits, the oldest first: rows of one conversation are looked for in their order. */
	async #search(
		channel: string,
		at: number,
		fits: (message: Found) => Promise<boolean>,
	): Promise<Found | undefined> {
		const since = snowflakeAt(at - skewMs);
		let after = since;
		for (let page = 0; page < mostPages; page++) {
			const messages = await this.#page(channel, { after, limit: String(limits.messagesPerPage) });
			for (const message of messages) {
				if (momentOf(message.id) >= at - skewMs && (await fits(message))) return message;
			}
			const newest = messages.at(-1);
			if (newest === undefined && after === since) await this.#demandHistory(channel, since);
			if (newest === undefined || messages.length < limits.messagesPerPage) return undefined;
			after = newest.id;
		}
		throw new DeliveryError(`too much was written in channel ${channel} since then to look through it`, {
			kind: "rejected",
		});
	}

	/** resources/message#get-channel-messages: those that follow an id; in the order in which they were written. */
	async #page(channel: string, query: Readonly<Record<string, string>>): Promise<Found[]> {
		const request = { method: "GET", path: `/channels/${channel}/messages`, query } as const;
		const { body } = await this.#parts.caller.ask(request, "read", channel);
		const messages = z.array(Found).safeParse(body);
		if (!messages.success)
			throw new DeliveryError("Discord's answer is no list of messages", { kind: "unknown" });
		return messages.data.toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
	}

	/**
	 * Who may not read what was written gets an empty list, and no error: resources/message#get-channel-messages. Rejects
	 * where something was written, and not even the newest of all is shown.
	 */
	async #demandHistory(channel: string, since: string): Promise<void> {
		const { caller } = this.#parts;
		const { body } = await caller.ask({ method: "GET", path: `/channels/${channel}` }, "read", channel);
		const last = Channel.safeParse(body).data?.last_message_id ?? "0";
		if (BigInt(last) <= BigInt(since) || (await this.#page(channel, { limit: "1" })).length > 0) return;
		const why = `the messages of channel ${channel} cannot be read: give the bot "Read Message History" there`;
		throw new DeliveryError(why, { kind: "rejected" });
	}

	async #isOurs(
		message: Found,
		{ id, nonce }: OutboxRow,
		{ post, drafts }: { readonly post: Post; readonly drafts: readonly Draft[] },
	): Promise<boolean> {
		if (message.author.id !== this.#parts.user) return false;
		const claimed = this.#claimed.get(message.id);
		if (claimed !== undefined) return claimed === id;
		if (message.nonce !== undefined) return message.nonce === nonce;
		if (!drafts.some((draft) => looksLike(message, post, draft))) return false;
		return ((await this.#parts.ownerOf(message.id)) ?? id) === id;
	}
}

/** Whether a message that is read back can be what was made of a draft. */
function looksLike(message: Found, { marker, replyTo }: Post, { content, files }: Draft): boolean {
	// A card has been edited since, but never its marker.
	if (marker !== undefined) return message.content.includes(marker);
	const { attachments, message_reference: reference } = message;
	return (
		shown(message.content) === shown(content) &&
		// What it answers may have been deleted before it came: then it answers nothing.
		(reference?.message_id ?? replyTo) === replyTo &&
		attachments.length === files.length &&
		files.every(({ name }, index) => isNamed(attachments[index]?.filename ?? "", name))
	);
}

/** Without what nobody sees, which Discord may leave out or write in another way. */
function shown(text: string): string {
	return text
		.normalize()
		.replace(/\p{Cf}|\uFE0F/gu, "")
		.replace(/\s+/g, " ")
		.trim();
}

/**
 * Discord writes names anew: signs are left out, blanks become underscores, and what has only letters of other scripts
 * gets another name (discord/discord-api-docs #7754, #6945).
 */
function isNamed(filename: string, name: string): boolean {
	return letters(filename) === letters(name) || /\P{ASCII}/u.test(name);
}

function letters(name: string): string {
	return name.normalize("NFKD").replace(/[^a-zA-Z0-9]/g, "");
}
