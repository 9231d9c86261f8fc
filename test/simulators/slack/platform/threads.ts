import type { MessageRecord } from "./records.ts";

/**
 * Returns the first message of a message's thread. Returns the message itself if it is not in a thread, or if the
 * first message does not exist.
 */
export function rootOf(message: MessageRecord): MessageRecord {
	const { threadTs, channel } = message;
	if (threadTs === undefined) return message;
	return channel.messages.find(({ ts }) => ts === threadTs) ?? message;
}

/** Returns the replies in the thread of a message, oldest first, without deleted and ephemeral messages. */
export function repliesTo({ ts, channel }: MessageRecord): MessageRecord[] {
	return channel.messages.filter(
		(message) => message.threadTs === ts && !message.deleted && !message.onlyFor,
	);
}
