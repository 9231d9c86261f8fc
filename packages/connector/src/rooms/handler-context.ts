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

/** Answer to a press, a command or a message, in Markdown. */
export interface Reply {
	readonly text: string;
	readonly controls?: readonly (readonly Control[])[];
	/** Text file that is posted below a short text. */
	readonly file?: { readonly name: string; readonly content: string };
	/**
	 * Whether only the author of the message sees the answer, if the platform has private answers to messages. Answers
	 * to presses, and to commands from the platform's menu, are always private.
	 */
	readonly private?: true;
}

/**
 * Services for the handlers of presses and commands. Methods that change data have a parameter `key`, the idempotency
 * key of the inbound event.
 */
export interface HandlerContext {
	readonly gateway: Requester;
	readonly controls: Controls;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
	readonly lists: ShownLists;
	readonly choices: { readonly stored: Choices["stored"] };
	/** Returns `actor` and `place` for a request on behalf of a person. */
	onBehalf(person: Person, room: Room): Required<OnBehalf>;
	/** Returns the person's current session in a room. Opens a session if the room has no current session. */
	sessionOf(person: Person, room: Room, key: string): Promise<RoomSession>;
	/** Returns a session by its id; undefined if this connector does not read the session. */
	session(id: string): RoomSession | undefined;
	/**
	 * Returns a session by its id, and starts to read the session if necessary. Only sessions that are read can be
	 * named in requests. Returns undefined for an unknown session. Rejects with `not_found` for a deleted session.
	 */
	follow(id: string): Promise<RoomSession | undefined>;
	/** Returns the conversations of a channel: see `channelConversations`. */
	conversations(
		person: Person,
		room: Room,
		which?: { readonly working?: boolean },
	): Promise<readonly Conversation[]>;
	/**
	 * Returns the room of a session, even if the connector does not read the session. Returns undefined for a session
	 * of another connector.
	 */
	roomOf(
		session: string,
	): Promise<{ readonly tenant: string; readonly channel: string; readonly thread?: string } | undefined>;
	/**
	 * Returns the text of a message after its edit, if the edit was not sent to the agent. Returns undefined if no
	 * such edit was recorded.
	 */
	editedText(room: Room, message: string): Promise<string | undefined>;
	/**
	 * Switches the room to another session. Without an id, switches to a new session. Rejects with `not_found` if the
	 * session belongs to another room, and with `permission_denied` if the person does not have the right `session.open`.
	 */
	switchSession(
		person: Person,
		room: Room,
		choice: { readonly session?: string; readonly title?: string; readonly key: string },
	): Promise<RoomSession>;
}

/** A press or command, with the idempotency key of the changes that it causes. */
export interface HandledEvent<Type extends "press" | "command"> {
	/** The event without its ticket, because the caller of the handler sends the answer. */
	readonly event: Omit<InboundEventOf<Type>, "ticket">;
	readonly key: string;
	/** Id of the message, if the command was written as text. */
	readonly message?: string;
}

export interface ListedSession {
	readonly session: string;
	readonly title: string;
	/** Time of the last use, in milliseconds since the epoch. */
	readonly usedAt: number;
	readonly messages: number;
	readonly current: boolean;
	/** Model of the session, if one was chosen. */
	readonly model?: string;
}

/** Current conversation of a channel or of a thread. */
export interface Conversation extends ListedSession {
	readonly room: Room;
	/** Whether a run is active or waits for a person. */
	readonly working: boolean;
}

export interface OutgoingMessage {
	readonly text: string;
	/** Platform id of the message to which the answer replies. */
	readonly message?: string;
	/** Ids of all messages that form the request. Default: only `message`. */
	readonly messages?: readonly string[];
	readonly attachments: readonly Attachment[];
	/** Messages to which this message replies, or which it forwards or quotes. */
	readonly referenced?: readonly ReadMessage[];
	/** Content of an ended task, if the message continues the task. The task ran in another session. */
	readonly continues?: ReadMessage;
	/** Time of the message, in milliseconds since the epoch. Default: now. */
	readonly at?: number;
	readonly key: string;
	/** Returns whether the message is still needed. Called as the last step before sending. */
	isStillNeeded?(): Promise<boolean>;
}

export interface SendResult {
	readonly session: string;
	/**
	 * Id of the run. Absent if no message was sent. Also absent if an earlier attempt sent the message and the run
	 * is unknown.
	 */
	readonly run?: string;
	/** Whether the message was sent. False if it was no longer needed, or had no content left. */
	readonly sent: boolean;
	/** Name and reason for each attachment that could not be sent, in Markdown. */
	readonly failures: readonly string[];
}

/** Context with the sessions and messages of a room. */
export interface RoomContext extends HandlerContext {
	/** Returns the sessions of a room that the person may see in the room, most recently used first. */
	sessions(person: Person, room: Room): Promise<readonly ListedSession[]>;
	/** Returns the role and rights of a person, according to the gateway. */
	whoami(person: Person, room: Room): Promise<MethodResult<"whoami">>;
	/** Sends a message to the session of the room. */
	send(person: Person, room: Room, words: OutgoingMessage): Promise<SendResult>;
	/** Reads all stored events of a session, oldest first. The session must belong to this connector. */
	events(session: string): AsyncIterable<PastEvent>;
	/** Copies a conversation of the room, and continues the copy: see `forkRoom`. */
	fork(person: Person, room: Room, request: ForkOptions): Promise<ForkedRoom>;
	/**
	 * Stops the active runs of the room that the person may stop. `at` is the time of the request in milliseconds
	 * since the epoch. Resolves with true if a run was stopped.
	 */
	stop(person: Person, room: Room, request: { readonly key: string; readonly at: number }): Promise<boolean>;
	/**
	 * Resolves with the record of a message; undefined if none is stored. Without `message`, resolves with the record of
	 * this person's last message, except commands, in the room or its threads.
	 */
	messageRecord(
		room: Room,
		of: {
			readonly message?: string;
			/**
			 * Result of `ChatPlatform.messageEnding`, to find a message of this person in any channel if `message`
			 * is unknown.
			 */
			readonly ending?: string | undefined;
			readonly person: string;
		},
	): Promise<MessageRecord | undefined>;
}
