import type { Clock, Logger } from "@parley/base";
import type { MethodResult, OnBehalf, Requester } from "@parley/protocol";
import type { Controls } from "../controls/controls.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Attachment, InboundEventOf, Person, Room } from "../platform/inbound-event.ts";
import type { Control } from "../platform/posting.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import type { MessageRecord } from "./message-records.ts";

/** What is answered to who pressed or commanded: they alone read it. Markdown. */
export interface Reply {
	readonly text: string;
	readonly controls?: readonly (readonly Control[])[];
}

/** What the handlers of presses and commands work with. Whatever changes something takes `key` from the inbound event. */
export interface HandlerContext {
	readonly gateway: Requester;
	readonly controls: Controls;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
	/** `actor` and `place` of a request that is made for somebody. */
	onBehalf(person: Person, room: Room): Required<OnBehalf>;
	/** The session that is talked to in a room by this person, opened where there is none yet. */
	sessionOf(person: Person, room: Room, key: string): Promise<RoomSession>;
	/** A session of ours by its id; undefined where this connector does not read it. */
	session(id: string): RoomSession | undefined;
	/** Room of a session, also if the session is not open. Undefined for a session of another connector. */
	roomOf(
		session: string,
	): Promise<{ readonly tenant: string; readonly channel: string; readonly thread?: string } | undefined>;
	/** What a message says since it was edited; undefined where it was not, or that is long ago. */
	editedText(room: Room, message: string): Promise<string | undefined>;
	/** Lets another session be talked to in the room; without an id a fresh one. Rejects with `not_found` for one of elsewhere. */
	switchSession(
		person: Person,
		room: Room,
		choice: { readonly session?: string; readonly title?: string; readonly key: string },
	): Promise<RoomSession>;
}

/** What happened, and the key of what it changes: a second time with the same key nothing changes again. */
export interface HandledEvent<Type extends "press" | "command"> {
	/** Answers go out by themselves: no handler needs the ticket. */
	readonly event: Omit<InboundEventOf<Type>, "ticket">;
	readonly key: string;
	/** Of a command that was written as a text: the message. */
	readonly message?: string;
}

/** A session as people of a room choose from it. */
export interface ListedSession {
	readonly session: string;
	readonly title: string;
	/** Milliseconds since the epoch. */
	readonly usedAt: number;
	readonly messages: number;
	readonly current: boolean;
	/** What it was told to answer with, where it was. */
	readonly model?: string;
}

/** What somebody says to the agent. */
export interface OutgoingMessage {
	readonly text: string;
	/** The platform's id of the message, which the answer then replies to. */
	readonly message?: string;
	readonly attachments: readonly Attachment[];
	readonly key: string;
	/** Asked when everything else is done: whether it is to be said after all. */
	isWanted?(): Promise<boolean>;
}

export interface SendResult {
	readonly session: string;
	/** Absent where it was not said, or had been said before by a process that ended before it heard of that. */
	readonly run?: string;
	/** False where nobody wanted it any more, or nothing was left to be said. */
	readonly sent: boolean;
	/** What could not be brought along, in words for people. */
	readonly failures: readonly string[];
}

/** A context that also knows what a room has seen. */
export interface RoomContext extends HandlerContext {
	/** The sessions of a room that this person may see there, the last used first. */
	sessions(person: Person, room: Room): Promise<readonly ListedSession[]>;
	/** Who somebody is to the gateway, and what they may do there. */
	whoami(person: Person, room: Room): Promise<MethodResult<"whoami">>;
	/** Says something to the session of the room. */
	send(person: Person, room: Room, words: OutgoingMessage): Promise<SendResult>;
	/** Ends what is at work in the room's session; `at` is when that was wanted. False where nothing was. */
	stop(person: Person, room: Room, wanted: { readonly key: string; readonly at: number }): Promise<boolean>;
	/** What was made of a message, or of the last one of this person that was for us or came to nothing. */
	messageRecord(
		room: Room,
		of: {
			readonly message?: string;
			/** See `ChatPlatform.messageEnding`: finds their own message of any channel, if `message` is not known. */
			readonly ending?: string | undefined;
			readonly person: string;
		},
	): Promise<MessageRecord | undefined>;
}
