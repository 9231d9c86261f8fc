import { type Clock, defined } from "@parley/base";
import type { Room } from "@parley/connector";
import { LRUCache } from "lru-cache";
import type { DiscordPort } from "../vocabulary/discord-port.ts";
import { readUntilAnswered } from "./answered.ts";
import { Channel } from "./wire.ts";

/** The tenant of all direct messages with us: they belong to no guild. */
export const directTenant = "dm";

/** What is known of a channel or thread. */
export interface KnownChannel {
	readonly id: string;
	/** resources/channel#channel-object-channel-types */
	readonly type: number;
	/** Absent: direct messages. */
	readonly guild?: string;
	/** Of a thread its channel, of a channel its category. */
	readonly parent?: string;
	/** Of a thread: who has opened it. */
	readonly owner?: string;
	readonly name?: string;
}

/** Maximum channels in memory. Discord is asked for any other channel. */
const mostKnown = 20_000;
const directType = 1;
const groupType = 3;
const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);

export function isThread({ type }: { readonly type: number }): boolean {
	return threadTypes.has(type);
}

/** The room of a channel. A thread's channel is its parent. */
export function roomOf(channel: KnownChannel): Room {
	const { id, type, guild: tenant = directTenant, parent } = channel;
	if (isThread(channel) && parent !== undefined) {
		return { tenant, channel: parent, thread: id, shared: false, kind: "channel" };
	}
	const kind = type === directType ? "direct" : type === groupType ? "group" : "channel";
	return { tenant, channel: id, shared: false, kind };
}

/** The channels and threads that Discord has told of, and those that it is asked for. Lost with the process. */
export class Channels {
	readonly #parts: { readonly port: DiscordPort; readonly clock: Clock };
	readonly #known = new LRUCache<string, KnownChannel>({ max: mostKnown });
	/** Requests in progress. */
	readonly #asked = new Map<string, Promise<KnownChannel | undefined>>();

	constructor(parts: { readonly port: DiscordPort; readonly clock: Clock }) {
		this.#parts = parts;
	}

	get(id: string): KnownChannel | undefined {
		return this.#known.get(id);
	}

	/** Takes what Discord says of a channel; undefined where that is no channel. `guild` where it does not say itself. */
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

	/** What is known, else what Discord answers; undefined where it does not let us see the channel. */
	async find(id: string, signal: AbortSignal): Promise<KnownChannel | undefined> {
		const known = this.#known.get(id);
		if (known !== undefined) return known;
		const asked = this.#asked.get(id) ?? this.#ask(id, signal);
		this.#asked.set(id, asked);
		return asked;
	}

	async #ask(id: string, signal: AbortSignal): Promise<KnownChannel | undefined> {
		try {
			const data = await readUntilAnswered(`/channels/${id}`, this.#parts, signal);
			return this.#known.get(id) ?? this.note(data);
		} finally {
			this.#asked.delete(id);
		}
	}
}
