import type { MessageRecord } from "./records.ts";

/** The message that the thread of a message began with; of one without a thread, itself. */
export function rootOf(message: MessageRecord): MessageRecord {
	const { threadTs, channel } = message;
	if (threadTs === undefined) return message;
	return channel.messages.find(({ ts }) => ts === threadTs) ?? message;
}

/** The answers in the thread of a message, the oldest first; without those that one person alone sees. */
export function repliesTo({ ts, channel }: MessageRecord): MessageRecord[] {
	return channel.messages.filter(
		(message) => message.threadTs === ts && !message.deleted && !message.onlyFor,
	);
}
