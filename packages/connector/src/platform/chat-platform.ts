import type { Dialect } from "../text/dialect.ts";
import type { Attachment, Room } from "./inbound-event.ts";
import type { Surface } from "./surface.ts";

/** How much the platform shows. All counts are as its dialect measures. */
export interface PlatformLimits {
	/** Of one post. */
	readonly post: number;
	/** Longer answers become a file with a beginning. */
	readonly postsPerAnswer: number;
	readonly buttonLabel: number;
	readonly controlsPerRow: number;
	/** Rows of controls in one post. */
	readonly controlRows: number;
	readonly options: number;
	readonly optionText: number;
	readonly threadName: number;
}

/** Names of people in Markdown of the kit. */
export interface PersonNames {
	/** Markdown of the kit that names a person without calling them, by the platform's own id. */
	person(id: string): string;
}

/** Names of people and times in Markdown of the kit. */
export interface PlatformWords extends PersonNames {
	/** Markdown of the kit that shows a moment in the reader's time: `in 5 minutes`, or the date and time. */
	moment(at: number, style: "relative" | "exact"): string;
}

/** Form of posts on a platform. */
export interface PostFormat {
	readonly dialect: Dialect;
	readonly limits: PlatformLimits;
}

/** What the kit is told of a platform, and asks of it. */
export interface ChatPlatform extends PlatformWords, PostFormat {
	/** As tokens and people are named by it: `discord`. */
	readonly name: string;
	/** The only tenant of the connector; absent if it may serve several. */
	readonly tenant?: string;
	/**
	 * After a longer disconnection the connector cannot find out who has joined channels, in milliseconds. By default 1 h,
	 * as after a stop of the gateway.
	 */
	readonly eventsKeptMs?: number;
	readonly surface: Surface;
	/** What a room is called in the outbox: the same for the same room, without `#`. */
	conversation(room: Room): string;
	/** Whether posts of a room, which is no thread itself, can have threads. They can unless told. */
	hasThreads?(room: Room): boolean;
	/** What people type in a place to give a command, as plain text: `/task new`. What follows its name stays as it is. */
	command(name: string, place: { readonly thread?: string }): string;
	/** Id of the message that a person names by a link or an id; by default the last part of the text. */
	messageNamed?(text: string, room: Room): string;
	/** End of the id, in any channel, of a message that a person names without its channel; undefined for other texts. */
	messageEnding?(text: string): string | undefined;
	/** Whether people can reply to one post inside of a thread. They can unless told. */
	readonly repliesInThreads?: boolean;
	/** What else `/help` says of how commands are typed there: Markdown of the kit, whole sentences. */
	readonly aboutCommands?: string;
	/** Reads an attachment; rejects with a `ParleyError` whose message a person may read. */
	read(attachment: Attachment, signal: AbortSignal): Promise<Uint8Array>;
}
