import type { MessageRecord } from "./records.ts";

/** Returns the id of a message, made of its channel and timestamp. */
export function messageId({ channel, ts }: Pick<MessageRecord, "channel" | "ts">): string {
	return `${channel.id}-${ts}`;
}
