import { oneLine } from "../conversation/vocabulary/plain.ts";
import type { InboundEventOf, Room } from "../platform/inbound-event.ts";
import { conversationTexts } from "../texts/conversations.ts";
import type { EventParts } from "./handler.ts";

/**
 * Returns the room of the conversation to which a message belongs. This is the thread that was opened at the
 * message, if a session of this thread is known. Otherwise, it is the room of the message.
 */
export async function homeOf(
	{ platform, rooms, subscriptions }: EventParts,
	{ room, message }: { readonly room: Room; readonly message: string },
): Promise<Room> {
	if (!mayOpen(platform, room)) return room;
	await subscriptions.ready;
	const thread = { ...room, thread: message };
	return rooms.knownIn(thread).length > 0 ? thread : room;
}

/**
 * Returns the room of the answer to a message. In a channel with answers in threads, a mention by a person who may
 * write opens a thread. If the platform refuses the thread, the answer is in the channel, and the log states the
 * reason.
 */
export async function roomOfAnswer(
	{ platform, rooms, log }: EventParts,
	{ room, message, person, text, address }: InboundEventOf<"message" | "edited">,
): Promise<Room> {
	if (!mayOpen(platform, room) || !address.us) return room;
	const { answers = "channel" } = await rooms.facts(person, room);
	if (answers !== "thread") return room;
	// A person who may not write gets no thread. The gateway refuses the message later, with the reason.
	const { may } = await rooms.whoami(person, room);
	if (!may.includes("session.write")) return room;
	const name = oneLine(text, platform.limits.threadName) || conversationTexts.thread;
	const { refused } = await platform.openThread(room, { message, name });
	if (refused === undefined) return { ...room, thread: message };
	log.warn(refused, { channel: room.channel });
	return room;
}

function mayOpen(
	platform: EventParts["platform"],
	room: Room,
): platform is EventParts["platform"] & Required<Pick<EventParts["platform"], "openThread">> {
	const isPlain = room.kind === "channel" && room.thread === undefined;
	return platform.openThread !== undefined && isPlain && (platform.hasThreads?.(room) ?? true);
}
