import { createHash } from "node:crypto";
import type { Clock, Logger } from "@parley/base";
import * as z from "zod";
import type { DiscordRest } from "../vocabulary/discord-port.ts";
import { readUntilAnswered } from "./answered.ts";
import {
	audienceOf,
	type GuildRights,
	mayReadHistory,
	mayWrite,
	Overwrites,
	type PersonInChannel,
	RoleRights,
} from "./audience.ts";
import { id } from "./wire.ts";

/** Digests of the audiences in a guild, by channel id. */
export type StoredAudiences = Readonly<Record<string, string>>;

/** Storage of the digests across restarts. */
export interface AudienceStore {
	load(guild: string): Promise<StoredAudiences | undefined>;
	/** Saves the digests of a guild. `undefined` deletes them. */
	save(guild: string, stored: StoredAudiences | undefined): Promise<void>;
}

/** Changes of a guild's audiences since they were last stored. */
export interface AudienceChange {
	/** Channels with a changed audience, and deleted channels. `all` if no audience of the guild was stored. */
	readonly changed: "all" | readonly string[];
	/** Channels without a stored audience. */
	readonly added: readonly string[];
	/** Stores the audiences. Call it when the events for the change are durable. */
	save(): Promise<void>;
}

export interface AudiencesParts {
	readonly port: DiscordRest;
	readonly store: AudienceStore;
	readonly clock: Clock;
	readonly log: Logger;
}

const GuildOfRights = z.object({ id, owner_id: id, roles: z.array(z.unknown()) });
const ChannelRights = z.object({ id, permission_overwrites: Overwrites });

/** Compares the audiences of channels with the stored ones, also after a restart. */
export class Audiences {
	readonly #parts: AudiencesParts;
	readonly #known = new Map<string, GuildRights>();

	constructor(parts: AudiencesParts) {
		this.#parts = parts;
	}

	/**
	 * Records and returns the permissions of a guild from its event, or from Discord's responses. Returns undefined for
	 * invalid data.
	 */
	note(guild: unknown, channels: readonly unknown[]): GuildRights | undefined {
		const read = GuildOfRights.safeParse(guild);
		if (!read.success) return undefined;
		const { id, owner_id: owner, roles } = read.data;
		const rights: GuildRights = { guild: id, owner, roles: new Map(), channels: new Map() };
		for (const role of roles) noteRole(rights, role);
		for (const channel of channels) noteChannel(rights, channel);
		this.#known.set(id, rights);
		return rights;
	}

	/**
	 * Applies a change to the known permissions, and compares the audiences with the stored ones. Resolves with
	 * undefined if the bot cannot see the guild.
	 */
	async compare(
		guild: string,
		change: (rights: GuildRights) => void,
		signal: AbortSignal,
	): Promise<AudienceChange | undefined> {
		const known = this.#known.get(guild);
		if (known) change(known);
		// Discord's response already includes the change.
		const rights = known ?? (await this.#ask(guild, signal));
		if (!rights) return undefined;
		const { store } = this.#parts;
		const before = await store.load(guild);
		const channels = [...rights.channels].map(([channel, overwrites]) => {
			const audience = createHash("sha256").update(audienceOf(rights, overwrites)).digest("base64url");
			return [channel, audience.slice(0, 16)] as const;
		});
		const now: StoredAudiences = Object.fromEntries(channels);
		const all = Object.keys(before ?? {});
		const changed = before === undefined ? "all" : all.filter((channel) => before[channel] !== now[channel]);
		const added = Object.keys(now).filter((channel) => before?.[channel] === undefined);
		const isSame = changed.length === 0 && added.length === 0;
		return { changed, added, save: async () => void (isSame || (await this.#save(guild, now))) };
	}

	/**
	 * Whether a person can read a channel, and write or use commands in it. Returns undefined if the bot cannot see the
	 * guild.
	 */
	async mayWrite(person: PersonInChannel, signal: AbortSignal): Promise<boolean | undefined> {
		const { guild } = person;
		const rights = this.#known.get(guild) ?? (await this.#ask(guild, signal));
		return rights && mayWrite(rights, person);
	}

	/** Whether a person can read earlier messages of a channel. Returns undefined if the bot cannot see the guild. */
	async mayReadHistory(person: PersonInChannel, signal: AbortSignal): Promise<boolean | undefined> {
		const { guild } = person;
		const rights = this.#known.get(guild) ?? (await this.#ask(guild, signal));
		return rights && mayReadHistory(rights, person);
	}

	/** Deletes the audiences of a guild, because the bot has left the guild. */
	async forget(guild: string): Promise<void> {
		this.#known.delete(guild);
		await this.#save(guild, undefined);
	}

	async #ask(guild: string, signal: AbortSignal): Promise<GuildRights | undefined> {
		const answer = await readUntilAnswered(`/guilds/${guild}`, this.#parts, signal);
		const channels = await readUntilAnswered(`/guilds/${guild}/channels`, this.#parts, signal);
		return Array.isArray(channels) ? this.note(answer, channels) : undefined;
	}

	async #save(guild: string, stored: StoredAudiences | undefined): Promise<void> {
		const { store, log } = this.#parts;
		try {
			await store.save(guild, stored);
		} catch (error) {
			// The next comparison reports this change again.
			log.warn("cannot store the channel audiences of a server, retrying later", { guild, error });
		}
	}
}

/** Records the permissions of a role. Returns false for invalid data. */
export function noteRole({ roles }: GuildRights, data: unknown): boolean {
	const read = RoleRights.safeParse(data);
	if (read.success) roles.set(read.data.id, read.data.permissions);
	return read.success;
}

/** Records the permission overwrites of a channel. Returns false for invalid data. */
export function noteChannel({ channels }: GuildRights, data: unknown): boolean {
	const read = ChannelRights.safeParse(data);
	if (read.success) channels.set(read.data.id, read.data.permission_overwrites);
	return read.success;
}
