import { type Clock, defined, type Logger } from "@parley/base";
import { type Address, type Arrival, Malformed } from "@parley/connector";
import * as z from "zod";
import type { DiscordDispatch, DiscordPort, OwnAccount } from "../vocabulary/discord-port.ts";
import { momentOf } from "../vocabulary/snowflake.ts";
import { type AudienceStore, Audiences } from "./audiences.ts";
import { type Channels, isThread, type KnownChannel, roomOf } from "./channels.ts";
import { GuildEvents } from "./guild-events.ts";
import { attachmentsOf, personOf } from "./people.ts";
import { type GuildRoles, Roles } from "./roles.ts";
import { type Handler, type Incoming, incoming, type Translated, unreadable } from "./translated.ts";
import { BulkDeleted, Deleted, Message, Reaction } from "./wire.ts";

export interface IntakeParts {
	readonly self: OwnAccount;
	readonly port: DiscordPort;
	readonly channels: Channels;
	readonly audiences: AudienceStore;
	readonly clock: Clock;
	readonly log: Logger;
}

/** resources/message#message-object-message-types: what a person wrote, and what they wrote in reply. */
const written: ReadonlySet<number> = new Set([0, 19]);
const signs: ReadonlyMap<string, "stop" | "again"> = new Map([
	["❌", "stop"],
	["🔁", "again"],
]);

/**
 * Translates what Discord's gateway says, except interactions, into arrivals. What it has to ask Discord for (the parent
 * of a thread, the names of roles) it asks until there is an answer.
 */
export class Intake {
	/** Who may read and write in the channels of the guilds. */
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
		const guilds = new GuildEvents({ ...common, audiences, clock, log });
		this.#handlers = new Map(Object.entries({ ...guilds.handlers, ...this.#ofMessages }));
	}

	/** How many events could not be read. */
	get malformed(): number {
		return this.#malformed.count;
	}

	/**
	 * A payload that is not what Discord documents is ignored and logged; rejects only when `signal` ends the asking.
	 * What is only remembered is remembered when this returns.
	 */
	async translate({ t, d }: DiscordDispatch, signal: AbortSignal): Promise<Translated> {
		const handle = this.#handlers.get(t);
		return handle === undefined ? { ignored: `${t} says nothing to us` } : handle(d, signal);
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
		if (type === "edited" && !wasEdited(data)) return { ignored: "nobody has edited the message" };
		const message = this.#malformed.read(event, Message, data);
		if (message === undefined) return unreadable(event);
		const { self } = this.#parts;
		if (message.author.id === self.user) return { ignored: "it is our own" };
		if (!written.has(message.type)) return { ignored: `messages of type ${message.type} are Discord's own` };
		const channel = await this.#channelOf(message, signal);
		if (channel === undefined) return unseen(message.channel_id);
		return [await this.#told(type, message, channel, signal)];
	}

	async #told(
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
		const arrival: Arrival = {
			type,
			room: roomOf(channel),
			message: message.id,
			at: edited ?? momentOf(message.id),
			...readAddress(message, names),
			person: { ...person, bot: person.bot || Boolean(message.webhook_id) },
			attachments: attachmentsOf(message.attachments),
			ourThread: isThread(channel) && channel.owner === self.user,
		};
		const version = edited === undefined ? [message.id] : [message.id, String(edited)];
		return incoming(arrival, ...version);
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
		const sign = emoji.id ? undefined : signs.get(emoji.name ?? "");
		if (sign === undefined) return { ignored: "no reaction that means anything to us" };
		if (user_id === this.#parts.self.user) return { ignored: "it is our own" };
		const channel = await this.#channelOf(reaction, signal);
		if (channel === undefined) return unseen(reaction.channel_id);
		const person = personOf(member?.user ?? { id: user_id, username: user_id }, member);
		const at = this.#parts.clock.now();
		const arrival: Arrival = { type: "reaction", room: roomOf(channel), person, message, sign, at };
		// To stop twice does no harm, to miss the second stop of a message does; to run again twice costs.
		return [incoming(arrival, message, user_id, sign === "stop" ? `stop-${at}` : "again")];
	}

	/** Asks Discord only where the event leaves open whether its channel is a thread. */
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
	// What is not even an object is read, and refused, with its schema.
	const read = z.object({ edited_timestamp: z.unknown().optional() }).safeParse(data);
	return !read.success || (read.data.edited_timestamp ?? null) !== null;
}

function unseen(channel: string): Translated {
	return { ignored: `Discord does not let us see channel ${channel}` };
}

/** What mentions in a text are resolved with. */
interface Names {
	/** Our user's id. */
	readonly user: string;
	readonly roles: GuildRoles;
	readonly channel: (id: string) => KnownChannel | undefined;
}

/** With the sign that ends an address, and the blanks behind. */
const mention = /<(@[!&]?|#)(\d{1,20})>((?:,|:(?=[\s/!]|$))?[^\S\n]*)/g;

/** Whom a message speaks to, and its text as people read it, without the mention of ourselves. */
export function readAddress(message: Message, names: Names): { address: Address; text: string } {
	const { content, mentions, mention_roles, mention_everyone: everyone } = message;
	// A reply counts its author among the mentioned, whether the text names them or not.
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

function replyOf(message: Message, user: string): Address["reply"] {
	const { message_reference: reference, referenced_message: referenced } = message;
	// Another type is a message that is passed on: resources/message#message-reference-types.
	if (!reference?.message_id || (reference.type ?? 0) !== 0) return undefined;
	return { message: reference.message_id, ours: referenced?.author.id === user };
}

function resolve({ content, mentions }: Message, { user, roles, channel }: Names): string {
	return content
		.replace(mention, (whole: string, kind: string, id: string, behind: string) => {
			if (kind === "#") return shown("#", channel(id)?.name, whole, behind);
			if (kind === "@&") {
				const role = roles.get(id);
				return role?.ours ? "" : shown("@", role?.name, whole, behind);
			}
			if (id === user) return "";
			const person = mentions.find((one) => one.id === id);
			return shown("@", person && personOf(person, person.member).name, whole, behind);
		})
		.trim();
}

function shown(sign: string, name: string | undefined, whole: string, behind: string): string {
	return name === undefined ? whole : `${sign}${name}${behind}`;
}
