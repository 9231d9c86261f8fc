import { type Cache, type Clock, createCache, defined } from "@parley/base";
import type { Room } from "@parley/connector";
import type { DiscordPort } from "../vocabulary/discord-port.ts";
import { directTenant } from "../vocabulary/links.ts";
import { readUntilAnswered } from "./answered.ts";
import { Channel } from "./wire.ts";

/** Known fields of a channel or a thread. */
export interface KnownChannel {
	readonly id: string;
	/** Type of the channel: resources/channel#channel-object-channel-types */
	readonly type: number;
	/** Id of the guild. Absent for direct messages. */
	readonly guild?: string;
	/** Id of the parent: for a thread, its channel; for a channel, its category. */
	readonly parent?: string;
	/** Id of the user who created the thread or group. Absent for other channels. */
	readonly owner?: string;
	readonly name?: string;
}

/** Maximum number of channels in memory. Other channels are read from Discord. */
const maxKnown = 20_000;
const directType = 1;
const groupType = 3;
const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);

export function isThread({ type }: { readonly type: number }): boolean {
	return threadTypes.has(type);
}

/** Returns the address of a channel or a thread. For a thread, `channel` is the parent channel. */
export function roomOf(channel: KnownChannel): Room {
	const { id, type, guild: tenant = directTenant, parent } = channel;
	if (isThread(channel) && parent !== undefined) {
		return { tenant, channel: parent, thread: id, shared: false, kind: "channel" };
	}
	const kind = type === directType ? "direct" : type === groupType ? "group" : "channel";
	return { tenant, channel: id, shared: false, kind };
}

/** Channels and threads from events, or from requests to Discord, cached in memory. */
export class Channels {
	readonly #parts: { readonly port: DiscordPort; readonly clock: Clock };
	readonly #known: Cache<string, KnownChannel>;
	readonly #pending = new Map<string, Promise<KnownChannel | undefined>>();

	constructor(parts: { readonly port: DiscordPort; readonly clock: Clock }) {
		this.#parts = parts;
		this.#known = createCache({ max: maxKnown, clock: parts.clock });
	}

	get(id: string): KnownChannel | undefined {
		return this.#known.get(id);
	}

	/**
	 * Records the data of a channel, and returns the channel; undefined for invalid data. `guild` is the default for
	 * data without a guild.
	 */
	note(data: unknown, guild?: string): KnownChannel | undefined {
		const read = Channel.safeParse(data);
		if (!read.success) return undefined;
		const { id, type, parent_id: parent, owner_id: owner, name } = read.data;
		const before = this.#known.get(id);
		const tenant = read.data.guild_id ?? guild ?? before?.guild;
		const channel: KnownChannel = {
			...before,
			...defined({
				id,
				type,
				guild: tenant || undefined,
				parent: parent ?? undefined,
				owner: owner ?? undefined,
				name: name || undefined,
			}),
		};
		this.#known.set(id, channel);
		return channel;
	}

	forget(id: string): void {
		this.#known.delete(id);
	}

	/** Returns the channel from memory or from Discord. Returns undefined if the bot cannot see the channel. */
	async find(id: string, signal: AbortSignal): Promise<KnownChannel | undefined> {
		const known = this.#known.get(id);
		if (known !== undefined) return known;
		const request = this.#pending.get(id) ?? this.#ask(id, signal);
		this.#pending.set(id, request);
		return request;
	}

	async #ask(id: string, signal: AbortSignal): Promise<KnownChannel | undefined> {
		try {
			const data = await readUntilAnswered(`/channels/${id}`, this.#parts, signal);
			return this.#known.get(id) ?? this.note(data);
		} finally {
			this.#pending.delete(id);
		}
	}
}
