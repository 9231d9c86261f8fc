import { defined } from "@parley/base";
import type { InboundEventOf, Person } from "@parley/connector";
import { conversationOf } from "../vocabulary/conversation.ts";
import { messageId, messageTime, readMessageId } from "../vocabulary/message-id.ts";
import type { OwnAccount } from "../vocabulary/slack-port.ts";
import { completeText, hasQuoted, sharedFiles } from "./beside-text.ts";
import type { Channels, EventChannel } from "./channels.ts";
import type { Files } from "./files.ts";
import type { Incoming } from "./incoming.ts";
import { type People, unknownPerson } from "./people.ts";
import { type Names, readAddress, readText } from "./text.ts";
import type { Threads } from "./threads.ts";
import type { Message } from "./wire.ts";

export interface MessagesParts {
	readonly self: OwnAccount;
	readonly people: People;
	readonly channels: Channels;
	readonly threads: Threads;
	readonly files: Files;
}

/**
 * Maximum names to look up for a text. A text can contain thousands of names, and Slack limits the rate of
 * requests.
 */
const maxNames = 20;

/** Creates inbound events for messages. Looks up channel, author, names and files concurrently, and then the thread. */
export class Messages {
	readonly #parts: MessagesParts;

	constructor(parts: MessagesParts) {
		this.#parts = parts;
	}

	/**
	 * Creates the event of a message or an edit. Rejects with `unavailable` if Slack does not report the author, the channel, a
	 * file or the thread in time. With `isLast`, uses the known data instead, which never gives more permissions.
	 */
	async arrived(
		type: "message" | "edited",
		source: EventChannel,
		message: Message,
		isLast: boolean,
	): Promise<Incoming> {
		const { self, channels, threads, files } = this.#parts;
		const orElse = <Value>(lookup: Promise<Value>, known: () => Value): Promise<Value> =>
			isLast ? lookup.catch(known) : lookup;
		const address = readAddress(message.text, self.user);
		// Messages of apps, and messages to other people, do not address the agent.
		const isAddressed = !message.bot_id && (address.us || source.channel.startsWith("D"));
		const { thread_ts: first = message.ts } = message;
		if (address.us && !message.bot_id && first === message.ts) threads.noteMention(source.channel, message);
		const [room, person, text, attachments] = await Promise.all([
			orElse(channels.roomOf(source, message), () => channels.unknown(source, message)),
			orElse(this.#author(message), () => unknownPerson(message.user ?? "")),
			this.text(completeText(message), isAddressed),
			files.read(sharedFiles(message), isLast),
		]);
		const thread = room.thread === undefined ? undefined : readMessageId(room.thread)?.ts;
		const { ours, root } =
			thread === undefined || thread === message.ts
				? { ours: false, root: false }
				: await threads.find(
						{ channel: source.channel, thread },
						// The thread matters only if a person's message in a channel mentions neither the agent nor another
						// person.
						{ asks: !isLast && room.kind !== "direct" && !person.bot && !address.us && !address.others },
					);
		const edited = type === "edited" ? message.edited?.ts : undefined;
		const id = messageId(source.channel, message.ts);
		const inbound: InboundEventOf<"message" | "edited"> = {
			type,
			room,
			message: id,
			person,
			text,
			attachments,
			...defined({ forwarded: hasQuoted(message) ? (true as const) : undefined }),
			ourThread: ours,
			at: messageTime(edited ?? message.ts),
			address: {
				...address,
				// A message in a thread of the agent's post addresses the agent, unless it mentions another person.
				...defined({
					reply:
						root && !address.others && room.thread !== undefined
							? { message: room.thread, ours: true }
							: undefined,
				}),
			},
		};
		const version = edited === undefined ? [] : [edited];
		return { inbound, key: { id: [type, id, ...version].join(":"), conversation: conversationOf(room) } };
	}

	/**
	 * Returns the text with names in place of ids. Unknown ids remain. Without `asks`, only cached names are known.
	 */
	text(text: string, asks = true): Promise<string> {
		const { self, people, channels } = this.#parts;
		const lookups = new Set<string>();
		const names: Names = {
			person: async (id) => {
				const known = people.known(id);
				if (known !== undefined || !asks) return known;
				if (lookups.size < maxNames) lookups.add(id);
				return lookups.has(id) ? people.nameOf(id) : undefined;
			},
			channel: async (id) => channels.get(id)?.name,
		};
		return readText(text, self.user, names);
	}

	async #author({ user, bot_id, username, bot_profile }: Message): Promise<Person> {
		// An app does not act for the person who installed it.
		if (!bot_id && user) return this.#parts.people.find(user);
		const id = user ?? bot_id ?? "unknown";
		return { id, name: username ?? bot_profile?.name ?? "", roles: [], guest: true, bot: true };
	}
}

/** Whether the bot itself wrote the message. */
export function isOwn({ user, bot_id }: Message, self: OwnAccount): boolean {
	return user === self.user || bot_id === self.bot;
}
