import type { Address, Person, Room } from "./inbound-event.ts";

/** How a room works, as the gateway says. */
export interface RoomFacts {
	/** When a message is for us: when it names us, or always. */
	readonly mention: "required" | "always";
	/** Whose a conversation is: all people's, or each has one of their own. */
	readonly sessions: "shared" | "person";
}

/** What the gateway says of most rooms. */
export const usualFacts: RoomFacts = { mention: "required", sessions: "shared" };

/** Why a message is for us, or is not. Kept with it, for whoever asks. */
export const reasons = {
	bot: "a bot wrote it, and bots are not answered",
	direct: "it is a direct message",
	mention: "it mentions me",
	reply: "it replies to a post of mine",
	others: "it speaks to somebody else",
	thread: "it stands in a thread of mine",
	open: "everything in this channel is for me",
	unaddressed: "nothing in it speaks to me",
} as const;
export type Reason = keyof typeof reasons;

export interface Verdict {
	readonly ours: boolean;
	readonly reason: Reason;
}

interface Message {
	readonly room: Room;
	readonly person: Person;
	readonly address: Address;
	readonly ourThread: boolean;
}

/** Whether a message is for us. The first rule that speaks to it decides; `everyone` is nobody's name. */
export function isForUs({ room, person, address, ourThread }: Message, { mention }: RoomFacts): Verdict {
	if (person.bot) return { ours: false, reason: "bot" };
	if (room.kind === "direct") return { ours: true, reason: "direct" };
	if (address.us) return { ours: true, reason: "mention" };
	if (address.reply?.ours === true) return { ours: true, reason: "reply" };
	if (address.others) return { ours: false, reason: "others" };
	if (ourThread) return { ours: true, reason: "thread" };
	if (mention === "always") return { ours: true, reason: "open" };
	return { ours: false, reason: "unaddressed" };
}

/** Whether it makes a difference how the room works. */
export function needsFacts(message: Message): boolean {
	return isForUs(message, usualFacts).reason === "unaddressed";
}
