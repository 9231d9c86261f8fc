import type { MessageRecord } from "./records.ts";

/** First message of a message's thread. Without a thread or this first message, the message itself. */
export function rootOf(message: MessageRecord): MessageRecord {
	const { threadTs, channel } = message;
	if (threadTs === undefined) return message;
	return channel.messages.find(({ ts }) => ts === threadTs) ?? message;
}

/** Replies in the thread of a message, oldest first, without deleted and ephemeral messages. */
export function repliesTo({ ts, channel }: MessageRecord): MessageRecord[] {
	return channel.messages.filter(
		(message) => message.threadTs === ts && !message.deleted && !message.onlyFor,
	);
}
