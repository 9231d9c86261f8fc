import { type Clock, defined, type Logger } from "@parley/base";
import type { Room } from "@parley/connector";
import { messageId } from "../vocabulary/message-id.ts";
import type { OwnAccount, SlackApi } from "../vocabulary/slack-port.ts";
import { readSlack } from "./read-slack.ts";
import { Remembered } from "./remembered.ts";
import { Channel } from "./wire.ts";

/** Properties of a channel, a group or a direct message. */
export interface KnownChannel {
	readonly kind: Room["kind"];
	/** Whether people of other organisations can read or join the channel. True if Slack does not report the channel. */
	readonly shared: boolean;
	readonly name?: string;
	/**
	 * Whether the bot is a member of the channel. True if Slack's response lacks `is_member`, and false if Slack does
	 * not report the channel.
	 */
	readonly ours: boolean;
	/** Whether Slack reports the channel as public in the workspace. */
	readonly open: boolean;
}

/** Channel of an event, with the properties that the event reports. */
export interface EventChannel {
	readonly channel: string;
	readonly channel_type?: string | undefined;
	readonly shared?: boolean | undefined;
}

/** Properties of channels, cached in memory. */
export class Channels {
	readonly #self: OwnAccount;
	readonly #known: Remembered<KnownChannel>;

	constructor(parts: {
		readonly self: OwnAccount;
		readonly port: SlackApi;
		readonly clock: Clock;
		readonly log: Logger;
	}) {
		const { self, port, clock, log } = parts;
		this.#self = self;
		this.#known = new Remembered({
			what: "the channel",
			clock,
			retentionMs: 600_000,
			maximum: 20_000,
			ask: async (id) => {
				const answer = await readSlack(port, { method: "conversations.info", args: { channel: id } });
				const read = "body" in answer ? Channel.safeParse(answer.body["channel"]).data : undefined;
				if (read) return knownOf(read);
				const why = "refused" in answer ? answer.refused : "Slack's response is invalid";
				log.warn("could not read a channel from Slack, so it is treated as shared", { channel: id, why });
				return { kind: kindOf(id), shared: true, ours: false, open: false };
			},
		});
	}

	/** Returns the properties of a channel. Rejects with `unavailable` if Slack does not respond in time. */
	find(id: string): Promise<KnownChannel> {
		return this.#known.find(id);
	}

	/** Returns the cached properties, or undefined. */
	get(id: string): KnownChannel | undefined {
		return this.#known.get(id);
	}

	/** Removes a channel from the cache. The next `find` reads the channel from Slack. */
	forget(id: string): void {
		this.#known.forget(id);
	}

	/**
	 * Returns the room of a message. A message outside threads belongs to the thread that the message starts, also in
	 * direct messages: https://docs.slack.dev/ai/developing-ai-apps. Rejects like `find`.
	 */
	roomOf(
		source: EventChannel,
		message: { readonly ts: string; readonly thread_ts?: string | undefined },
	): Promise<Room> {
		return this.roomWith(source, message.thread_ts ?? message.ts);
	}

	/** Returns the room of a channel, or of a thread in the channel. Rejects like `find`. */
	async roomWith({ channel, channel_type, shared = false }: EventChannel, thread?: string): Promise<Room> {
		const within = thread === undefined ? {} : { thread: messageId(channel, thread) };
		const place = { tenant: this.#self.team, channel, ...within };
		// The id of a direct message shows its kind, so no lookup is necessary.
		if (kindOf(channel) === "direct") return { ...place, shared, kind: "direct" };
		const known = await this.find(channel);
		const kind = channel_type === "mpim" ? "group" : known.kind;
		return { ...place, shared: shared || known.shared, kind };
	}

	/** Returns the room of a message without a request to Slack. A channel that is not in the cache is treated as shared. */
	unknown(
		source: EventChannel,
		message: { readonly ts: string; readonly thread_ts?: string | undefined },
	): Room {
		const { channel } = source;
		return { ...this.roomOfChannel(channel), thread: messageId(channel, message.thread_ts ?? message.ts) };
	}

	/** Returns the room for an event about a channel. Uses only cached properties. */
	roomOfChannel(channel: string): Room {
		const { kind = kindOf(channel), shared = true } = this.get(channel) ?? {};
		return { tenant: this.#self.team, channel, shared, kind };
	}
}

/**
 * Returns the timestamp of the thread's first message. Undefined for that message itself, and for a message outside threads.
 */
export function threadOf({
	ts,
	thread_ts,
}: {
	readonly ts: string;
	readonly thread_ts?: string | undefined;
}): string | undefined {
	return thread_ts === ts ? undefined : thread_ts;
}

function kindOf(id: string): Room["kind"] {
	// Ids of direct messages begin with a D: https://docs.slack.dev/apis/web-api/using-the-conversations-api
	return id.startsWith("D") ? "direct" : "channel";
}

function knownOf({ id, name, is_im, is_mpim, is_private, is_member, ...channel }: Channel): KnownChannel {
	return {
		kind: is_im ? "direct" : is_mpim ? "group" : kindOf(id),
		shared: Boolean(channel.is_ext_shared || channel.is_pending_ext_shared),
		...defined({ name: name || undefined }),
		ours: is_member !== false,
		open: is_private === false,
	};
}
