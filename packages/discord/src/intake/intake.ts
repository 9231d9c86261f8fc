import { type Clock, defined, type Logger } from "@parley/base";
import { type Address, type InboundEvent, Malformed } from "@parley/connector";
import * as z from "zod";
import { textOfMessage } from "../vocabulary/components.ts";
import type { DiscordDispatch, DiscordPort, OwnAccount } from "../vocabulary/discord-port.ts";
import { momentOf } from "../vocabulary/snowflake.ts";
import { type AudienceStore, Audiences } from "./audiences.ts";
import { referencedBy } from "./beside-messages.ts";
import { type Channels, isThread, type KnownChannel, roomOf } from "./channels.ts";
import { GuildEvents } from "./guild-events.ts";
import { attachmentsOf, personOf } from "./people.ts";
import { type GuildRoles, Roles } from "./roles.ts";
import { type Handler, type Incoming, incoming, type Translated, unreadable } from "./translated.ts";
import { BulkDeleted, Deleted, Message, Reaction, type ReadableMessage } from "./wire.ts";

export interface IntakeParts {
	readonly self: OwnAccount;
	readonly port: DiscordPort;
	readonly channels: Channels;
	readonly audiences: AudienceStore;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Types of ordinary messages and replies: resources/message#message-object-message-types */
const written: ReadonlySet<number> = new Set([0, 19]);
/**
 * Type `CHANNEL_NAME_CHANGE`: the author renamed the thread, and the content is the new name.
 * https://github.com/discord/discord-api-docs/issues/5921
 */
const renamedType = 4;
const signs: ReadonlyMap<string, "stop" | "again" | "good" | "bad"> = new Map([
	["❌", "stop"],
	["🔁", "again"],
	["👍", "good"],
	["👎", "bad"],
]);
/** Skin-tone modifiers and the emoji variation selector (U+FE0F). */
const variants = /[\u{1F3FB}-\u{1F3FF}\u{FE0F}]/gu;

/**
 * Translates events of Discord's gateway into inbound events, except interactions. If facts are missing, such as
 * the parent of a thread or the names of roles, repeats requests for them until Discord responds.
 */
export class Intake {
	readonly audiences: Audiences;
	readonly #parts: IntakeParts;
	readonly #roles: Roles;
	readonly #malformed: Malformed;
	readonly #handlers: ReadonlyMap<string, Handler>;

	constructor(parts: IntakeParts) {
		this.#parts = parts;
		const { self, port, channels, clock, log } = parts;
		this.#roles = new Roles({ port, clock, user: self.user });
		this.#malformed = new Malformed("Discord", log);
		const audiences = new Audiences({ port, store: parts.audiences, clock, log });
		this.audiences = audiences;
		const common = { channels, roles: this.#roles, malformed: this.#malformed };
		const guilds = new GuildEvents({ ...common, user: self.user, audiences, clock, log });
		this.#handlers = new Map(Object.entries({ ...guilds.handlers, ...this.#ofMessages }));
	}

	/** Returns the number of events that could not be read. */
	get malformed(): number {
		return this.#malformed.count;
	}

	/**
	 * Translates an event. Ignores and logs invalid data. Records the channels, roles and permissions of the
	 * event. Rejects if `signal` aborts, or if the stored audiences cannot be read.
	 */
	async translate({ t, d }: DiscordDispatch, signal: AbortSignal): Promise<Translated> {
		const handle = this.#handlers.get(t);
		return handle === undefined ? { ignored: `${t} is not used` } : handle(d, signal);
	}

	readonly #ofMessages: Readonly<Record<string, Handler>> = {
		MESSAGE_CREATE: (data, signal) => this.#message("message", data, signal),
		MESSAGE_UPDATE: (data, signal) => this.#message("edited", data, signal),
		MESSAGE_DELETE: (data, signal) => this.#deleted("MESSAGE_DELETE", Deleted, data, signal),
		MESSAGE_DELETE_BULK: (data, signal) => this.#deleted("MESSAGE_DELETE_BULK", BulkDeleted, data, signal),
		MESSAGE_REACTION_ADD: (data, signal) => this.#reaction(data, signal),
	};

	async #message(type: "message" | "edited", data: unknown, signal: AbortSignal): Promise<Translated> {
		const event = type === "message" ? "MESSAGE_CREATE" : "MESSAGE_UPDATE";
		if (type === "edited" && !wasEdited(data)) return { ignored: "the text of the message is unchanged" };
		const message = this.#malformed.read(event, Message, data);
		if (message === undefined) return unreadable(event);
		const { self } = this.#parts;
		if (message.author.id === self.user) return { ignored: "the bot wrote the message itself" };
		if (message.type === renamedType) return this.#retitled(message, signal);
		if (!written.has(message.type))
			return { ignored: `the connector does not handle messages of type ${message.type}` };
		const channel = await this.#channelOf(message, signal);
		if (channel === undefined) return unseen(message.channel_id);
		// A missed message that was edited has its new text, so it is treated as its last edit.
		const isEdited = type === "edited" || typeof message.edited_timestamp === "string";
		return [await this.#incomingOf(isEdited ? "edited" : "message", message, channel, signal)];
	}

	async #retitled(message: Message, signal: AbortSignal): Promise<Translated> {
		const channel = await this.#channelOf(message, signal);
		if (channel === undefined) return unseen(message.channel_id);
		const isOwn = isThread(channel) && channel.owner === this.#parts.self.user;
		const title = message.content.trim();
		if (!isOwn) return { ignored: "the bot did not open this thread, so its name is not a title" };
		if (title === "") return { ignored: "the name of the thread is empty" };
		// The event of a renamed thread names no person, but the message of type `renamedType` does.
		const { author, member, id } = message;
		const happened = { room: roomOf(channel), person: personOf(author, member), at: momentOf(id) };
		return [incoming({ type: "retitled", ...happened, title }, id)];
	}

	async #incomingOf(
		type: "message" | "edited",
		message: Message,
		channel: KnownChannel,
		signal: AbortSignal,
	): Promise<Incoming> {
		const { self, channels } = this.#parts;
		const { guild_id: guild, mention_roles } = message;
		const asksForRoles = guild !== undefined && mention_roles.length > 0;
		const roles = asksForRoles ? await this.#roles.find(guild, signal) : new Map();
		const names = { user: self.user, roles, channel: (id: string) => channels.get(id) };
		const person = personOf(message.author, message.member);
		const edited = type === "edited" ? Date.parse(message.edited_timestamp ?? "") : undefined;
		const text = readableText(self.user, channels);
		const referenced = referencedBy(message, { user: self.user, text });
		const inbound: InboundEvent = {
			type,
			room: roomOf(channel),
			message: message.id,
			at: edited ?? momentOf(message.id),
			...readAddress(message, names),
			person: { ...person, bot: person.bot || Boolean(message.webhook_id) },
			attachments: attachmentsOf(message.attachments),
			...defined({
				forwarded: isForwarded(message) ? (true as const) : undefined,
				referenced: referenced.length > 0 ? referenced : undefined,
			}),
			ourThread: isThread(channel) && channel.owner === self.user,
		};
		const version = edited === undefined ? [message.id] : [message.id, String(edited)];
		return incoming(inbound, ...version);
	}

	async #deleted(
		event: string,
		schema: typeof Deleted | typeof BulkDeleted,
		data: unknown,
		signal: AbortSignal,
	): Promise<Translated> {
		const deleted = this.#malformed.read<z.output<typeof Deleted> | z.output<typeof BulkDeleted>>(
			event,
			schema,
			data,
		);
		if (deleted === undefined) return unreadable(event);
		const channel = await this.#channelOf(deleted, signal);
		if (channel === undefined) return unseen(deleted.channel_id);
		const at = this.#parts.clock.now();
		const ids = "ids" in deleted ? deleted.ids : [deleted.id];
		return ids.map((message) => incoming({ type: "deleted", room: roomOf(channel), message, at }, message));
	}

	async #reaction(data: unknown, signal: AbortSignal): Promise<Translated> {
		const reaction = this.#malformed.read("MESSAGE_REACTION_ADD", Reaction, data);
		if (reaction === undefined) return unreadable("MESSAGE_REACTION_ADD");
		const { user_id, message_id: message, member, emoji } = reaction;
		const sign = emoji.id ? undefined : signs.get((emoji.name ?? "").replace(variants, ""));
		if (sign === undefined) return { ignored: "the reaction has no meaning for the connector" };
		if (user_id === this.#parts.self.user) return { ignored: "the bot added the reaction itself" };
		const channel = await this.#channelOf(reaction, signal);
		if (channel === undefined) return unseen(reaction.channel_id);
		const person = personOf(member?.user ?? { id: user_id, username: user_id }, member);
		const at = this.#parts.clock.now();
		const inbound: InboundEvent = { type: "reaction", room: roomOf(channel), person, message, sign, at };
		// A repeated `again` reaction has the key of the first `again` reaction, because a second run would cost
		// money. Every other sign gets its own key: a missed stop does harm, and a rating can change back.
		return [incoming(inbound, message, user_id, sign === "again" ? sign : `${sign}-${at}`)];
	}

	/**
	 * Returns the channel of an event. A channel that is not in memory is read from Discord if its type is unknown
	 * or a thread type. For other types, the data of the event is sufficient. Returns undefined if the bot cannot
	 * see the channel.
	 */
	#channelOf(
		event: {
			readonly channel_id: string;
			readonly channel_type?: number | undefined;
			readonly guild_id?: string | undefined;
		},
		signal: AbortSignal,
	): KnownChannel | undefined | Promise<KnownChannel | undefined> {
		const { channel_id: id, guild_id: guild } = event;
		const { channels } = this.#parts;
		const type = event.channel_type ?? (guild === undefined ? 1 : undefined);
		const known = channels.get(id);
		if (known !== undefined) return known;
		if (type === undefined || isThread({ type })) return channels.find(id, signal);
		return channels.note({ id, type }, guild);
	}
}

function wasEdited(data: unknown): boolean {
	// The schema of the event later rejects data that is not an object.
	const read = z.object({ edited_timestamp: z.unknown().optional() }).safeParse(data);
	return !read.success || (read.data.edited_timestamp ?? null) !== null;
}

function unseen(channel: string): Translated {
	return { ignored: `the bot cannot see channel ${channel}` };
}

interface Names {
	/** User id of the bot. */
	readonly user: string;
	readonly roles: GuildRoles;
	readonly channel: (id: string) => KnownChannel | undefined;
}

/** Pattern of a mention. Includes the punctuation that ends the address, and the blanks that follow. */
const mention = /<(@[!&]?|#)(\d{1,20})>((?:,|:(?=[\s/!]|$))?[^\S\n]*)/g;

/**
 * Returns the addressees of a message, and its text with names instead of mentions. Mentions of the bot and of the
 * bot's own role are removed from the text.
 */
export function readAddress(message: Message, names: Names): { address: Address; text: string } {
	const { content, mentions, mention_roles, mention_everyone: everyone } = message;
	// The mentions of a reply include the author of the original message, even if the text does not mention that author.
	const named = mentions.filter(({ id }) => new RegExp(`<@!?${id}>`).test(content));
	const isOwnRole = (id: string): boolean => names.roles.get(id)?.ours === true;
	return {
		address: {
			us: named.some(({ id }) => id === names.user) || mention_roles.some(isOwnRole),
			others: named.some(({ id }) => id !== names.user) || mention_roles.some((id) => !isOwnRole(id)),
			everyone,
			...defined({ reply: replyOf(message, names.user) }),
		},
		text: resolve(message, names),
	};
}

/**
 * Whether a message is forwarded. Such a message has no text of its own: resources/message#message-reference-types
 */
function isForwarded({ message_reference: reference }: Message): boolean {
	return reference != null && (reference.type ?? 0) !== 0;
}

/**
 * Returns a function that reads the text of earlier, referenced and forwarded messages. Known people and channels are
 * named. Mentions of roles stay unchanged.
 */
export function readableText(user: string, channels: Channels): (message: ReadableMessage) => string {
	const names: Names = { user, roles: new Map(), channel: (id) => channels.get(id) };
	return (message) => resolve({ content: textOfMessage(message), mentions: message.mentions }, names);
}

function replyOf(message: Message, user: string): Address["reply"] {
	const { message_reference: reference, referenced_message: referenced } = message;
	// Any other type is a forwarded message: resources/message#message-reference-types
	if (!reference?.message_id || (reference.type ?? 0) !== 0) return undefined;
	return { message: reference.message_id, ours: referenced?.author.id === user };
}

function resolve(
	{ content, mentions }: Pick<Message, "content" | "mentions">,
	{ user, roles, channel }: Names,
): string {
	return content
		.replace(mention, (matched: string, kind: string, id: string, behind: string) => {
			if (kind === "#") return shown("#", channel(id)?.name, matched, behind);
			if (kind === "@&") {
				const role = roles.get(id);
				return role?.ours ? "" : shown("@", role?.name, matched, behind);
			}
			if (id === user) return "";
			const person = mentions.find((one) => one.id === id);
			return shown("@", person && personOf(person, person.member).name, matched, behind);
		})
		.trim();
}

function shown(sign: string, name: string | undefined, matched: string, behind: string): string {
	return name === undefined ? matched : `${sign}${name}${behind}`;
}
