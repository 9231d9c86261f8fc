import type { Clock, Logger } from "@parley/base";
import type { Arrival, Room } from "@parley/connector";
import * as z from "zod";
import type { DiscordDispatch, DiscordPort } from "../discord-port.ts";
import type { OwnAccount } from "../own-account.ts";
import { momentOf } from "../snowflake.ts";
import { readAddress } from "./addressing.ts";
import { type Channels, isThread, type KnownChannel, roomOf } from "./channels.ts";
import { Malformed } from "./malformed.ts";
import { attachmentsOf, personOf } from "./people.ts";
import { Roles } from "./roles.ts";
import { BulkDeleted, Channel, Deleted, Guild, Message, OfGuild, Reaction, ThreadList } from "./wire.ts";

/** An arrival, and what the inbox knows it by. */
export interface Incoming {
	readonly arrival: Arrival;
	readonly key: { readonly id: string; readonly conversation: string };
}

/** What an event of the gateway comes to: nothing where it says why. */
export type Translated = readonly Incoming[] | { readonly ignored: string };

export interface IntakeParts {
	readonly self: OwnAccount;
	readonly port: DiscordPort;
	readonly channels: Channels;
	readonly clock: Clock;
	readonly log: Logger;
}

type Handler = (data: unknown, signal: AbortSignal) => Translated | Promise<Translated>;

/** resources/message#message-object-message-types: what a person wrote, and what they wrote in reply. */
const written: ReadonlySet<number> = new Set([0, 19]);
const signs: ReadonlyMap<string, "stop" | "again"> = new Map([
	["❌", "stop"],
	["🔁", "again"],
]);

/** The outbox's and the inbox's name of a room. */
export function conversationOf({ thread, channel }: Room): string {
	return thread ?? channel;
}

/**
 * Translates what Discord's gateway says, except interactions, into arrivals. It only reads; what it has to ask Discord
 * for (the parent of a thread, the names of roles) it asks until there is an answer.
 */
export class Intake {
	readonly #parts: IntakeParts;
	readonly #roles: Roles;
	readonly #malformed: Malformed;

	constructor(parts: IntakeParts) {
		this.#parts = parts;
		this.#roles = new Roles({ port: parts.port, clock: parts.clock, user: parts.self.user });
		this.#malformed = new Malformed(parts.log);
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

	readonly #handlers: ReadonlyMap<string, Handler> = new Map(
		Object.entries<Handler>({
			MESSAGE_CREATE: (data, signal) => this.#message("message", data, signal),
			MESSAGE_UPDATE: (data, signal) => this.#message("edited", data, signal),
			MESSAGE_DELETE: (data, signal) => this.#deleted("MESSAGE_DELETE", Deleted, data, signal),
			MESSAGE_DELETE_BULK: (data, signal) => this.#deleted("MESSAGE_DELETE_BULK", BulkDeleted, data, signal),
			MESSAGE_REACTION_ADD: (data, signal) => this.#reaction(data, signal),
			CHANNEL_UPDATE: (data) => this.#channelUpdated(data),
			CHANNEL_DELETE: (data) => this.#channelGone("CHANNEL_DELETE", data),
			THREAD_DELETE: (data) => this.#channelGone("THREAD_DELETE", data),
			CHANNEL_CREATE: (data) => this.#noted("CHANNEL_CREATE", data),
			THREAD_CREATE: (data) => this.#noted("THREAD_CREATE", data),
			THREAD_UPDATE: (data) => this.#noted("THREAD_UPDATE", data),
			THREAD_LIST_SYNC: (data) => this.#threads(data),
			GUILD_CREATE: (data) => this.#guild(data),
			GUILD_ROLE_CREATE: (data) => this.#rolesChanged(data),
			GUILD_ROLE_UPDATE: (data) => this.#rolesChanged(data),
			GUILD_ROLE_DELETE: (data) => this.#rolesChanged(data),
		}),
	);

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
			...{ type, room: roomOf(channel), message: message.id, at: edited ?? momentOf(message.id) },
			...readAddress(message, names),
			person: { ...person, bot: person.bot || Boolean(message.webhook_id) },
			attachments: attachmentsOf(message.attachments),
			ourThread: isThread(channel) && channel.owner === self.user,
		};
		return incoming(arrival, message.id, ...(edited === undefined ? [] : [String(edited)]));
	}

	async #deleted(
		event: string,
		schema: typeof Deleted | typeof BulkDeleted,
		data: unknown,
		signal: AbortSignal,
	): Promise<Translated> {
		const deleted = this.#malformed.read<z.output<typeof Deleted> | z.output<typeof BulkDeleted>>(
			...([event, schema, data] as const),
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

	/** Who may read a thread, its channel decides. What was not known before may have been anything. */
	#channelUpdated(data: unknown): Translated {
		const id = this.#malformed.read("CHANNEL_UPDATE", Channel, data)?.id;
		if (id === undefined) return unreadable("CHANNEL_UPDATE");
		const { channels } = this.#parts;
		const before = channels.get(id)?.audience;
		const after = channels.note(data);
		if (after === undefined || before === after.audience) return { ignored: "the same people may read it" };
		return this.#audience(after, "who may read the channel has changed");
	}

	#channelGone(event: "CHANNEL_DELETE" | "THREAD_DELETE", data: unknown): Translated {
		const channel = this.#malformed.read(event, Channel, data) && this.#parts.channels.note(data);
		if (channel === undefined) return unreadable(event);
		this.#parts.channels.forget(channel.id);
		const what = event === "CHANNEL_DELETE" ? "the channel was deleted" : "the thread was deleted";
		return this.#audience(channel, what);
	}

	#audience(channel: KnownChannel, change: string): Translated {
		const at = this.#parts.clock.now();
		return [incoming({ type: "audience", room: roomOf(channel), change, at }, String(at))];
	}

	#noted(event: string, data: unknown): Translated {
		if (this.#malformed.read(event, Channel, data) === undefined) return unreadable(event);
		this.#parts.channels.note(data);
		return { ignored: "it is only remembered" };
	}

	#threads(data: unknown): Translated {
		const list = this.#malformed.read("THREAD_LIST_SYNC", ThreadList, data);
		if (list === undefined) return unreadable("THREAD_LIST_SYNC");
		for (const thread of list.threads) this.#parts.channels.note(thread, list.guild_id);
		return { ignored: "it is only remembered" };
	}

	#guild(data: unknown): Translated {
		const guild = this.#malformed.read("GUILD_CREATE", Guild, data);
		if (guild === undefined) return unreadable("GUILD_CREATE");
		for (const channel of [...guild.channels, ...guild.threads]) this.#parts.channels.note(channel, guild.id);
		this.#roles.note(guild.id, guild.roles);
		return { ignored: "it is only remembered" };
	}

	#rolesChanged(data: unknown): Translated {
		const of = this.#malformed.read("GUILD_ROLE_UPDATE", OfGuild, data);
		if (of === undefined) return unreadable("GUILD_ROLE_UPDATE");
		this.#roles.forget(of.guild_id);
		return { ignored: "it is only remembered" };
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

function incoming(arrival: Arrival, ...version: readonly string[]): Incoming {
	const { type, room } = arrival;
	const conversation = conversationOf(room);
	return { arrival, key: { id: [type, room.tenant, conversation, ...version].join(":"), conversation } };
}

function unreadable(event: string): Translated {
	return { ignored: `the ${event} cannot be read` };
}

function unseen(channel: string): Translated {
	return { ignored: `Discord does not let us see channel ${channel}` };
}
