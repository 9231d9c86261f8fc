import type { MessageRecord } from "./records.ts";

/** A message by its channel and timestamp, as one name. */
export function messageId({ channel, ts }: Pick<MessageRecord, "channel" | "ts">): string {
	return `${channel.id}-${ts}`;
}
