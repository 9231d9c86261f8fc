import { createHash } from "node:crypto";
import type { Clock, Logger } from "@parley/base";
import * as z from "zod";
import type { DiscordRest } from "../vocabulary/discord-port.ts";
import { readUntilAnswered } from "./answered.ts";
import {
	audienceOf,
	type GuildRights,
	mayWrite,
	Overwrites,
	type PersonInChannel,
	RoleRights,
} from "./audience.ts";
import { id } from "./wire.ts";

/** By the ids of a guild's channels, a digest of who may read and write there. */
export type KeptAudiences = Readonly<Record<string, string>>;

/** Keeps them from one process to the next. */
export interface AudienceStore {
	load(guild: string): Promise<KeptAudiences | undefined>;
	/** Undefined where the guild is gone. */
	save(guild: string, kept: KeptAudiences | undefined): Promise<void>;
}

/** What has become of the audiences of a guild since they were last kept. */
export interface AudienceChange {
	/** Channels that others than before may read or write in, and those that are not there any more; `all`: nothing was kept. */
	readonly changed: "all" | readonly string[];
	/** Channels of which nothing was kept. */
	readonly added: readonly string[];
	/** Takes them as they are now; whoever hears of the change must have it durably by then. */
	keep(): Promise<void>;
}

export interface AudiencesParts {
	readonly port: DiscordRest;
	readonly store: AudienceStore;
	readonly clock: Clock;
	readonly log: Logger;
}

const GuildOfRights = z.object({ id, owner_id: id, roles: z.array(z.unknown()) });
const ChannelRights = z.object({ id, permission_overwrites: Overwrites });

/** Who may read and write in the channels of guilds, compared with what was so before, also over restarts. */
export class Audiences {
	readonly #parts: AudiencesParts;
	readonly #known = new Map<string, GuildRights>();

	constructor(parts: AudiencesParts) {
		this.#parts = parts;
	}

	/** Takes all that decides it, as Discord tells when a guild is there; undefined where that is not in it. */
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

	/** After a change, which is made to what is known; undefined where Discord does not let us see the guild. */
	async compare(
		guild: string,
		change: (rights: GuildRights) => void,
		signal: AbortSignal,
	): Promise<AudienceChange | undefined> {
		const known = this.#known.get(guild);
		if (known) change(known);
		// What Discord answers has the change in it.
		const rights = known ?? (await this.#ask(guild, signal));
		if (!rights) return undefined;
		const { store } = this.#parts;
		const before = await store.load(guild);
		const channels = [...rights.channels].map(([channel, overwrites]) => {
			const audience = createHash("sha256").update(audienceOf(rights, overwrites)).digest("base64url");
			return [channel, audience.slice(0, 16)] as const;
		});
		const now: KeptAudiences = Object.fromEntries(channels);
		const all = Object.keys(before ?? {});
		const changed = before === undefined ? "all" : all.filter((channel) => before[channel] !== now[channel]);
		const added = Object.keys(now).filter((channel) => before?.[channel] === undefined);
		const isSame = changed.length === 0 && added.length === 0;
		return { changed, added, keep: async () => void (isSame || (await this.#save(guild, now))) };
	}

	/** Whether a person can write in a channel; undefined if Discord does not let us see the guild. */
	async mayWrite(person: PersonInChannel, signal: AbortSignal): Promise<boolean | undefined> {
		const { guild } = person;
		const rights = this.#known.get(guild) ?? (await this.#ask(guild, signal));
		return rights && mayWrite(rights, person);
	}

	/** The guild is gone. */
	async forget(guild: string): Promise<void> {
		this.#known.delete(guild);
		await this.#save(guild, undefined);
	}

	async #ask(guild: string, signal: AbortSignal): Promise<GuildRights | undefined> {
		const answer = await readUntilAnswered(`/guilds/${guild}`, this.#parts, signal);
		const channels = await readUntilAnswered(`/guilds/${guild}/channels`, this.#parts, signal);
		return Array.isArray(channels) ? this.note(answer, channels) : undefined;
	}

	async #save(guild: string, kept: KeptAudiences | undefined): Promise<void> {
		const { store, log } = this.#parts;
		try {
			await store.save(guild, kept);
		} catch (error) {
			// The next change is found to be larger than it was.
			log.warn("who may read the channels of a server cannot be written down yet", { guild, error });
		}
	}
}

/** Takes what is said of a role; false where that is no role. */
export function noteRole({ roles }: GuildRights, data: unknown): boolean {
	const read = RoleRights.safeParse(data);
	if (read.success) roles.set(read.data.id, read.data.permissions);
	return read.success;
}

/** Takes what is said of a channel; false where that is no channel. */
export function noteChannel({ channels }: GuildRights, data: unknown): boolean {
	const read = ChannelRights.safeParse(data);
	if (read.success) channels.set(read.data.id, read.data.permission_overwrites);
	return read.success;
}
