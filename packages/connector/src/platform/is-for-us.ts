import type { messageTexts } from "../texts/messages.ts";
import type { Address, Person, Room } from "./inbound-event.ts";

/** Channel settings that the connector uses. */
export interface RoomFacts {
	/**
	 * Messages that the agent answers outside of direct messages. `required`: only messages that mention the agent,
	 * reply to it, or are in a thread of the bot. `always`: also other messages that address no other person.
	 */
	readonly mention: "required" | "always";
	/** Whether a channel has one conversation, or one for each person. */
	readonly sessions: "shared" | "person";
	/** Level that determines how much of an answer is shown while the agent is working. Default: `tools`. */
	readonly live?: "off" | "text" | "tools" | "everything";
	/** Place of the answer to a mention. Default: `channel`. */
	readonly answers?: "channel" | "thread";
	/** Way in which the state of a message is shown. Default: `posts`. */
	readonly status?: "posts" | "reactions";
	/**
	 * Handling of a message during a run. `queue`: queued. `offer`: queued, and the author can add it to the
	 * run. Default: `queue`.
	 */
	readonly busy?: "queue" | "offer";
	/**
	 * Number of earlier messages to read for a request in a channel. With 0, earlier messages in threads are not
	 * read either. Default: 20.
	 */
	readonly context?: number;
	/** Whether welcomes are posted to channels and people. Default: no. */
	readonly welcome?: { readonly posts: boolean };
}

/** Default channel settings. */
export const usualFacts: RoomFacts = { mention: "required", sessions: "shared" };

/** Reason for or against handling a message. It is stored with the message, so that people can ask for the reason. */
export type Reason = keyof typeof messageTexts.reasons;

export interface AddressVerdict {
	readonly ours: boolean;
	readonly reason: Reason;
}

interface Message {
	readonly room: Room;
	readonly person: Person;
	readonly address: Address;
	readonly ourThread: boolean;
}

/**
 * Decides whether a message is for the agent. The first rule that matches applies. A mention of all members is
 * ignored.
 */
export function isForUs(
	{ room, person, address, ourThread }: Message,
	{ mention }: RoomFacts,
): AddressVerdict {
	if (person.bot) return { ours: false, reason: "bot" };
	if (room.kind === "direct") return { ours: true, reason: "direct" };
	if (address.us) return { ours: true, reason: "mention" };
	if (address.reply?.ours === true) return { ours: true, reason: "reply" };
	if (address.others) return { ours: false, reason: "others" };
	if (ourThread) return { ours: true, reason: "thread" };
	if (mention === "always") return { ours: true, reason: "open" };
	return { ours: false, reason: "unaddressed" };
}

/** Whether the decision depends on the channel settings. */
export function needsFacts(message: Message): boolean {
	return isForUs(message, usualFacts).reason === "unaddressed";
}
