import type { MessageRecord } from "./records.ts";

export function messageId({ channel, ts }: Pick<MessageRecord, "channel" | "ts">): string {
	return `${channel.id}-${ts}`;
}
