import { createHash } from "node:crypto";
import { type Clock, defined, type Logger } from "@parley/base";
import type { InboundEvent, Malformed } from "@parley/connector";
import { audienceTexts } from "../texts/audience.ts";
import { type GuildRights, maySend } from "./audience.ts";
import { type AudienceChange, type Audiences, noteChannel, noteRole } from "./audiences.ts";
import { type Channels, roomOf } from "./channels.ts";
import type { Roles } from "./roles.ts";
import { type Handler, type Incoming, incoming, type Translated, unreadable } from "./translated.ts";
import { ChangedGuild, Channel, Guild, RemovedGuild, RoleOfGuild, ThreadList } from "./wire.ts";

/** Time in milliseconds for which a joined server is new. Discord reports all servers at every connection. */
const newGuildMs = 24 * 3_600_000;

export interface GuildEventsParts {
	/** User id of the bot. */
	readonly user: string;
	readonly channels: Channels;
	readonly roles: Roles;
	readonly audiences: Audiences;
	readonly malformed: Malformed;
	readonly clock: Clock;
	readonly log: Logger;
}

const remembered = { ignored: "the event only updates cached data" } as const;

/**
 * Handles events about servers. Records their channels and roles, and reports changed audiences, invitations and reopened
 * threads.
 */
export class GuildEvents {
	readonly #parts: GuildEventsParts;

	constructor(parts: GuildEventsParts) {
		this.#parts = parts;
	}

	readonly handlers: Readonly<Record<string, Handler>> = {
		CHANNEL_CREATE: (data, signal) => this.#channel("CHANNEL_CREATE", data, signal),
		CHANNEL_UPDATE: (data, signal) => this.#channel("CHANNEL_UPDATE", data, signal),
		CHANNEL_DELETE: (data, signal) => this.#channelDeleted(data, signal),
		THREAD_CREATE: (data) => this.#thread("THREAD_CREATE", data),
		THREAD_UPDATE: (data) => this.#threadChanged(data),
		THREAD_DELETE: (data) => this.#threadDeleted(data),
		THREAD_LIST_SYNC: (data) => this.#threads(data),
		GUILD_CREATE: (data, signal) => this.#guild(data, signal),
		GUILD_UPDATE: (data, signal) => this.#guildChanged(data, signal),
		GUILD_DELETE: (data) => this.#guildRemoved(data),
		GUILD_ROLE_CREATE: (data, signal) => this.#role("GUILD_ROLE_CREATE", data, signal),
		GUILD_ROLE_UPDATE: (data, signal) => this.#role("GUILD_ROLE_UPDATE", data, signal),
		GUILD_ROLE_DELETE: (data, signal) => this.#role("GUILD_ROLE_DELETE", data, signal),
	};

	async #channel(
		event: "CHANNEL_CREATE" | "CHANNEL_UPDATE",
		data: unknown,
		signal: AbortSignal,
	): Promise<Translated> {
		const channel = this.#parts.malformed.read(event, Channel, data) && this.#parts.channels.note(data);
		if (channel === undefined) return unreadable(event);
		const { id, guild } = channel;
		if (guild === undefined) return remembered;
		const change = audienceTexts.channelPermissions;
		const apply = (rights: GuildRights): void => void noteChannel(rights, data);
		// A new channel has no grants yet. Any other channel that cannot be compared is treated as changed.
		const own = event === "CHANNEL_UPDATE" ? [id] : [];
		const affected = (compared: AudienceChange | undefined): "all" | readonly string[] => {
			if (compared === undefined) return own;
			const { changed, added } = compared;
			return changed === "all" ? changed : [...changed, ...own.filter((one) => added.includes(one))];
		};
		return this.#compared(guild, { change, apply, signal, affected });
	}

	async #channelDeleted(data: unknown, signal: AbortSignal): Promise<Translated> {
		const { malformed, channels, clock } = this.#parts;
		const channel = malformed.read("CHANNEL_DELETE", Channel, data) && channels.note(data);
		if (channel === undefined) return unreadable("CHANNEL_DELETE");
		const { id, guild } = channel;
		channels.forget(id);
		const at = clock.now();
		const change = audienceTexts.channelDeleted;
		const facts = { gone: true, deleted: true, change, at } as const;
		const inbound: InboundEvent = { type: "audience", room: roomOf(channel), ...facts };
		const event = incoming(inbound, String(at));
		if (guild === undefined) return [event];
		const apply = (rights: GuildRights): void => void rights.channels.delete(id);
		const affected = ({ changed = [] }: Partial<AudienceChange> = {}): "all" | readonly string[] =>
			changed === "all" ? changed : changed.filter((other) => other !== id);
		const others = await this.#compared(guild, {
			change: audienceTexts.channelPermissions,
			apply,
			signal,
			affected,
		});
		return "ignored" in others ? [event] : [event, ...others];
	}

	#thread(event: string, data: unknown): Translated {
		if (this.#parts.malformed.read(event, Channel, data) === undefined) return unreadable(event);
		this.#parts.channels.note(data);
		return remembered;
	}

	#threadChanged(data: unknown): Translated {
		const { malformed, channels, clock } = this.#parts;
		const thread = malformed.read("THREAD_UPDATE", Channel, data);
		const channel = thread && channels.note(data);
		if (thread === undefined || channel === undefined) return unreadable("THREAD_UPDATE");
		const { archived = true, locked = true } = thread.thread_metadata ?? {};
		if (archived || locked) return remembered;
		const at = clock.now();
		// An open thread is reported as reopened, because its earlier state is unknown.
		return [incoming({ type: "reopened", room: roomOf(channel), at }, String(at))];
	}

	#threadDeleted(data: unknown): Translated {
		const thread = this.#parts.malformed.read("THREAD_DELETE", Channel, data);
		if (thread === undefined) return unreadable("THREAD_DELETE");
		this.#parts.channels.forget(thread.id);
		// A deleted thread changes no audience.
		return remembered;
	}

	#threads(data: unknown): Translated {
		const list = this.#parts.malformed.read("THREAD_LIST_SYNC", ThreadList, data);
		if (list === undefined) return unreadable("THREAD_LIST_SYNC");
		for (const thread of list.threads) this.#parts.channels.note(thread, list.guild_id);
		return remembered;
	}

	async #guild(data: unknown, signal: AbortSignal): Promise<Translated> {
		const { malformed, channels, roles, audiences } = this.#parts;
		const guild = malformed.read("GUILD_CREATE", Guild, data);
		if (guild === undefined) return unreadable("GUILD_CREATE");
		for (const channel of [...guild.channels, ...guild.threads]) channels.note(channel, guild.id);
		roles.note(guild.id, guild.roles);
		const rights = audiences.note(data, guild.channels);
		if (rights === undefined) return unreadable("GUILD_CREATE");
		const invited = invitedTo(guild, rights, this.#parts);
		const compared = await this.#compared(guild.id, {
			change: audienceTexts.whileOffline,
			apply: () => undefined,
			signal,
		});
		return invited === undefined ? compared : [invited, ...("ignored" in compared ? [] : compared)];
	}

	#guildChanged(data: unknown, signal: AbortSignal): Translated | Promise<Translated> {
		const guild = this.#parts.malformed.read("GUILD_UPDATE", ChangedGuild, data);
		if (guild === undefined) return unreadable("GUILD_UPDATE");
		const apply = (rights: GuildRights): void => {
			rights.owner = guild.owner_id;
		};
		return this.#compared(guild.id, { change: audienceTexts.serverOwner, apply, signal });
	}

	/**
	 * Reports that all channels of a server are gone. This ends the trust grants of these channels, because the bot
	 * may be invited again.
	 */
	#guildRemoved(data: unknown): Translated {
		const { malformed, audiences, clock, log } = this.#parts;
		const guild = malformed.read("GUILD_DELETE", RemovedGuild, data);
		if (guild === undefined) return unreadable("GUILD_DELETE");
		if (guild.unavailable) return { ignored: "the server is unavailable for a short time" };
		log.warn("the bot was removed from a server: its channels are no longer trusted", { guild: guild.id });
		const change = audienceTexts.removedFromServer;
		const everywhere = this.#everywhere(guild.id, { change, at: clock.now(), gone: true });
		return [{ ...everywhere, stored: () => audiences.forget(guild.id) }];
	}

	#role(event: string, data: unknown, signal: AbortSignal): Translated | Promise<Translated> {
		const of = this.#parts.malformed.read(event, RoleOfGuild, data);
		if (of === undefined) return unreadable(event);
		const { guild_id: guild, role, role_id: deletedRole } = of;
		this.#parts.roles.forget(guild);
		const change = role ? audienceTexts.rolePermissions({ role: role.name }) : audienceTexts.roleDeleted;
		const apply = (rights: GuildRights): void => {
			if (role) noteRole(rights, role);
			else if (deletedRole !== undefined) rights.roles.delete(deletedRole);
		};
		return this.#compared(guild, { change, apply, signal });
	}

	async #compared(
		guild: string,
		of: {
			readonly change: string;
			readonly apply: (rights: GuildRights) => void;
			readonly signal: AbortSignal;
			/**
			 * Returns the channels to report. Default: the changed channels, or all channels if no audience is stored or
			 * the bot cannot see the guild.
			 */
			readonly affected?: (compared: AudienceChange | undefined) => "all" | readonly string[];
		},
	): Promise<Translated> {
		const { audiences, clock } = this.#parts;
		const { affected = (compared) => compared?.changed ?? "all" } = of;
		const compared = await audiences.compare(guild, of.apply, of.signal);
		const channels = affected(compared);
		if (channels.length === 0) {
			await compared?.save();
			return remembered;
		}
		// If one of the channels was not compared, the reason must be true for this channel, too.
		const isKnown = channels !== "all" && channels.every((one) => compared?.changed.includes(one));
		const facts = isKnown
			? { change: of.change }
			: ({ change: audienceTexts.unknown, uncertain: true } as const);
		const everywhere = this.#everywhere(guild, { ...facts, at: clock.now(), channels });
		return [{ ...everywhere, ...defined({ stored: compared?.save }) }];
	}

	#everywhere(
		guild: string,
		{
			channels = "all",
			...rest
		}: {
			readonly change: string;
			readonly at: number;
			readonly channels?: "all" | readonly string[];
			readonly gone?: true;
			readonly uncertain?: true;
		},
	): Incoming {
		const room = { tenant: guild, channel: guild, shared: false, kind: "channel" } as const;
		const of = channels === "all" ? channels : [...channels];
		const digest = createHash("sha256").update(String(of)).digest("base64url").slice(0, 16);
		return incoming({ type: "audience", room, channels: of, ...rest }, String(rest.at), digest);
	}
}

/**
 * Returns the inbound event of an invitation. Returns undefined unless the server is new and the bot can post in
 * the server's system channel.
 */
function invitedTo(
	{ id: guild, joined_at, system_channel_id: channel, owner_id: owner, members }: Guild,
	rights: GuildRights,
	{ user, clock }: GuildEventsParts,
): Incoming | undefined {
	const at = Date.parse(joined_at ?? "");
	const isNew = clock.now() - at < newGuildMs;
	if (!isNew || !channel || owner === undefined) return undefined;
	const roles = members.find((member) => member.user.id === user)?.roles ?? [];
	if (!maySend(rights, { guild, channel, user, roles })) return undefined;
	const room = { tenant: guild, channel, shared: false, kind: "channel" } as const;
	const person = { id: owner, name: "", roles: [], guest: false, bot: false };
	return incoming({ type: "invited", room, person, at }, String(at));
}
