import type { Clock, Logger } from "@parley/base";
import type { MethodResult, OnBehalf, Requester } from "@parley/protocol";
import type { Controls } from "../controls/controls.ts";
import type { PastEvent } from "../gateway/gateway-files.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Attachment, InboundEventOf, Person, ReadMessage, Room } from "../platform/inbound-event.ts";
import type { Control } from "../platform/posting.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import type { Choices } from "./choices.ts";
import type { ForkedRoom, ForkOptions } from "./fork-room.ts";
import type { MessageRecord } from "./message-records.ts";
import type { ShownLists } from "./shown-lists.ts";

/** Private answer to a press or command, in Markdown. */
export interface Reply {
	readonly text: string;
	readonly controls?: readonly (readonly Control[])[];
	/** A text file below a short text. */
	readonly file?: { readonly name: string; readonly content: string };
	/** Only the author of the message sees the answer, if the platform has such answers. Others are always private. */
	readonly private?: true;
}

/** Functions for the handlers of presses and commands. Every change uses the `key` of the inbound event. */
export interface HandlerContext {
	readonly gateway: Requester;
	readonly controls: Controls;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
	readonly lists: ShownLists;
	readonly choices: { readonly stored: Choices["stored"] };
	/** `actor` and `place` of a request on behalf of a person. */
	onBehalf(person: Person, room: Room): Required<OnBehalf>;
	/** The current session of this person in a room; opened if it is missing. */
	sessionOf(person: Person, room: Room, key: string): Promise<RoomSession>;
	/** A session by its id; undefined if this connector does not read it. */
	session(id: string): RoomSession | undefined;
	/** Reads a session by its id, so that requests can name it. */
	follow(id: string): Promise<RoomSession | undefined>;
	/** See `channelConversations`. */
	conversations(
		person: Person,
		room: Room,
		which?: { readonly working?: boolean },
	): Promise<readonly Conversation[]>;
	/** Room of a session, also if the session is not open. Undefined for a session of another connector. */
	roomOf(
		session: string,
	): Promise<{ readonly tenant: string; readonly channel: string; readonly thread?: string } | undefined>;
	/** Text of a message after its edit; undefined without an edit, or if it is long ago. */
	editedText(room: Room, message: string): Promise<string | undefined>;
	/**
	 * Switches the room to another session, without an id to a new one. Rejects with `not_found` for a session of another
	 * room.
	 */
	switchSession(
		person: Person,
		room: Room,
		choice: { readonly session?: string; readonly title?: string; readonly key: string },
	): Promise<RoomSession>;
}

/** A press or command, with the idempotency key of its changes. */
export interface HandledEvent<Type extends "press" | "command"> {
	/** Handlers need no ticket, because answers are sent automatically. */
	readonly event: Omit<InboundEventOf<Type>, "ticket">;
	readonly key: string;
	/** The message of a command that was written as text. */
	readonly message?: string;
}

export interface ListedSession {
	readonly session: string;
	readonly title: string;
	/** Milliseconds since the epoch. */
	readonly usedAt: number;
	readonly messages: number;
	readonly current: boolean;
	/** Model of the session, if one was chosen. */
	readonly model?: string;
}

/** The current conversation of a channel or of a thread. */
export interface Conversation extends ListedSession {
	readonly room: Room;
	/** Whether a run is active or waits for a person. */
	readonly working: boolean;
}

export interface OutgoingMessage {
	readonly text: string;
	/** Platform id of the message that the answer replies to. */
	readonly message?: string;
	/** Ids of all messages that it consists of. Default: `message`. */
	readonly messages?: readonly string[];
	readonly attachments: readonly Attachment[];
	/** Messages that it replies to, forwards or quotes. */
	readonly referenced?: readonly ReadMessage[];
	/** Work of the agent in another session, which the message continues. */
	readonly continues?: ReadMessage;
	/** Time of the message, in milliseconds since the epoch. Default: now. */
	readonly at?: number;
	readonly key: string;
	/** Called as the last step before sending: whether the message is still needed. */
	isStillNeeded?(): Promise<boolean>;
}

export interface SendResult {
	readonly session: string;
	/** Absent if nothing was sent, or if an earlier process had sent it before it ended. */
	readonly run?: string;
	/** False if the message was no longer needed, or had no content left. */
	readonly sent: boolean;
	/** Attachments that could not be sent, in words for people. */
	readonly failures: readonly string[];
}

/** Context with the sessions and messages of a room. */
export interface RoomContext extends HandlerContext {
	/** Sessions of a room that this person may see there, most recently used first. */
	sessions(person: Person, room: Room): Promise<readonly ListedSession[]>;
	/** Role and rights of a person according to the gateway. */
	whoami(person: Person, room: Room): Promise<MethodResult<"whoami">>;
	/** Sends a message to the session of the room. */
	send(person: Person, room: Room, words: OutgoingMessage): Promise<SendResult>;
	/** All stored events of a session of this connector, oldest first. */
	events(session: string): AsyncIterable<PastEvent>;
	/** Continues a copy of a conversation of the room: see `forkRoom`. */
	fork(person: Person, room: Room, request: ForkOptions): Promise<ForkedRoom>;
	/** Stops the active run of the room's session. `at`: time of the request. Returns false if no run was active. */
	stop(person: Person, room: Room, request: { readonly key: string; readonly at: number }): Promise<boolean>;
	/** Record of a message, or of the last message of this person that was for the agent or was stopped. */
	messageRecord(
		room: Room,
		of: {
			readonly message?: string;
			/** See `ChatPlatform.messageEnding`: finds a message of this person in any channel, if `message` is unknown. */
			readonly ending?: string | undefined;
			readonly person: string;
		},
	): Promise<MessageRecord | undefined>;
}
