import type { Dialect } from "../text/dialect.ts";
import type { Attachment, Person, Room, Ticket } from "./inbound-event.ts";
import type { CardLink } from "./posting.ts";
import type { ContextQuery, ReadContext } from "./read-context.ts";
import type { Surface } from "./surface.ts";

/** Limits of a form that a button opens. Lengths are in UTF-16 code units. */
export interface FormLimits {
	readonly fields: number;
	/** Maximum length of a field's name, without its prefix of two characters. */
	readonly name: number;
	/** Maximum length of a field's text. */
	readonly text: number;
}

/** Limits of the platform. `post` is in units of the platform's dialect. Other lengths are in UTF-16 code units. */
export interface PlatformLimits {
	/** Maximum length of a post. */
	readonly post: number;
	/**
	 * Maximum number of posts for one answer. A longer answer becomes a file, and a post with the start of the
	 * answer.
	 */
	readonly postsPerAnswer: number;
	readonly buttonLabel: number;
	readonly controlsPerRow: number;
	readonly controlRows: number;
	readonly options: number;
	readonly optionText: number;
	readonly threadName: number;
	readonly form: FormLimits;
}

/** Names of people and roles in the kit's Markdown. */
export interface PersonNames {
	/** Returns Markdown that names a person by their platform id, without a notification. */
	person(id: string): string;
	/**
	 * Returns Markdown that names a role of the platform, without a notification. Absent if the platform has no
	 * roles.
	 */
	role?(id: string): string;
}

/** Times in the kit's Markdown. */
export interface TimeWords {
	/**
	 * Returns short Markdown that shows `at` as a relative time, for example `5 minutes ago`. `from` is the time of
	 * the post or answer, and is required if `at` may be after `from`. A platform may show `at` relative to `from`.
	 * Both times are in milliseconds since the epoch.
	 */
	moment(at: number, from?: number): string;
}

/** Names and times in the kit's Markdown. */
export interface PlatformWords extends PersonNames, TimeWords {}

export interface PostFormat {
	readonly dialect: Dialect;
	readonly limits: PlatformLimits;
	/** Whether the platform can append to a post. If so, the posts of growing answers have `grows`. Default: no. */
	readonly streams?: boolean;
	/**
	 * Whether the platform shows the title of a conversation as the name of the conversation's thread. `own`: the
	 * platform does this only for threads that the connector opened, so a new title is also posted. Default: no.
	 */
	readonly titles?: boolean | "own";
	/** Whether the platform shows code in files well, so that long code of an answer becomes a file. Default: no. */
	readonly snippets?: boolean;
}

/** Description and functions of a chat platform for the kit. */
export interface ChatPlatform extends PlatformWords, PostFormat {
	/** Platform name in tokens and principals, for example `discord`. */
	readonly name: string;
	/** The only tenant of the connector; absent if the connector may serve several tenants. */
	readonly tenant?: string;
	/**
	 * Maximum duration of a disconnection in milliseconds, after which the connector can still detect new channel
	 * members. Default: 1 h, the downtime after which the gateway itself ends all grants.
	 */
	readonly eventRetentionMs?: number;
	readonly surface: Surface;
	/** Whether the connector can react to messages. Default: no. */
	readonly reacts?: true;
	/** Returns the id of a room's conversation in the outbox. It is unique for the room, and contains no `#`. */
	conversation(room: Room): string;
	/** Whether posts of a room can have threads, if the room is not itself a thread. Default: yes. */
	hasThreads?(room: Room): boolean;
	/**
	 * Whether a copy of the room's conversation may continue in a new thread, which all readers of the channel see.
	 * False if the room is a private thread, or if messages of the channel cannot have threads. Default: yes.
	 */
	mayFork?(room: Room): Promise<boolean>;
	/**
	 * Whether a person may see the thread of `room`. The person must be able to read the channel. Absent if all
	 * readers of a channel can read the channel's threads.
	 */
	maySee?(person: Person, room: Room & { readonly thread: string }): Promise<boolean>;
	/**
	 * Loads the names of people, so that `person` can return them. Never rejects. Absent if the platform shows the names
	 * itself.
	 */
	loadNames?(ids: readonly string[]): Promise<void>;
	/**
	 * Returns the room of a channel if the person may read the channel now. Returns undefined otherwise, and for
	 * direct messages. Required for home pages.
	 */
	readable?(person: Person, channel: Pick<Room, "tenant" | "channel">): Promise<Room | undefined>;
	/**
	 * Suggests requests to the person in a room of direct messages. Does not retry. Rejects with a `DeliveryError`. Absent
	 * if the platform has no suggestions.
	 */
	suggest?(room: Room, prompts: readonly string[]): Promise<void>;
	/**
	 * Opens a thread at a message of a channel. The room of the thread has the id of the message as `thread`. An
	 * existing thread is treated as opened. If the platform refuses, `refused` is the reason, for operators.
	 * Rejects with `unavailable` if the platform does not answer. Absent if threads need not be opened.
	 */
	openThread?(
		room: Room,
		thread: { readonly message: string; readonly name: string },
	): Promise<{ readonly refused?: string }>;
	/** Returns the URL of a channel or thread on the platform; undefined if it has no URL. */
	linkTo?(room: CardLink["room"]): string | undefined;
	/**
	 * Returns the text that a person types for a command, for example `/task new`. Any text after the command name
	 * stays unchanged.
	 */
	command(name: string, place: { readonly thread?: string }): string;
	/**
	 * Returns the id of the message that a text names by a link or an id. Default: the text after the last space or
	 * slash.
	 */
	messageNamed?(text: string, room: Room): string;
	/**
	 * Returns the end of a message's id if a text names the message without its channel; undefined for any other text.
	 * Default: no message is found by the end of its id.
	 */
	messageEnding?(text: string): string | undefined;
	/** Reads the time of a post from its id, in milliseconds since the epoch. */
	postedAt(post: string): number;
	/**
	 * Returns a ticket for a private answer, which only the author of the message sees. Absent if the platform has
	 * no private answers. The answer is then a reply in the room.
	 */
	ticketOf?(message: { readonly room: Room; readonly person: Person; readonly message: string }): Ticket;
	/**
	 * Whether people without access get their instructions by direct message, because the platform has no private answers to
	 * messages. Default: no.
	 */
	readonly explainsDirectly?: true;
	/** Whether people can reply to a single post inside a thread. Default: yes. */
	readonly repliesInThreads?: boolean;
	/** Additional sentences for `/help` about typing commands, in the kit's Markdown. */
	readonly aboutCommands?: string;
	/**
	 * Reads earlier messages of a room, and messages that a request links to. Rejects if the platform does not answer.
	 * Default: no messages are read.
	 */
	readContext?(query: ContextQuery, signal: AbortSignal): Promise<ReadContext>;
	/** Reads an attachment. Rejects with a `ParleyError` that has a message for people. */
	read(attachment: Attachment, signal: AbortSignal): Promise<Uint8Array>;
}
