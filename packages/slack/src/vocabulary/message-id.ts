/**
 * A message by its channel and timestamp: timestamps are unique in one channel only
 * (https://docs.slack.dev/messaging/retrieving-messages). A thread is named by the message that it began with.
 */
export function messageId(channel: string, ts: string): string {
	return `${channel}-${ts}`;
}

/** Undefined for what is no id of `messageId`. */
export function readMessageId(id: string): { readonly channel: string; readonly ts: string } | undefined {
	const [, channel, ts] = /^([A-Z0-9]+)-(\d+\.\d+)$/.exec(id) ?? [];
	return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

/** Reads how a person names a message: its link, its id, or its timestamp in this channel. */
export function namedMessage(text: string, channel: string): string {
	const [, linked, seconds, rest] = /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})\b/.exec(text) ?? [];
	if (linked !== undefined) return messageId(linked, `${seconds}.${rest}`);
	const named = text.replace(/^<|>$/g, "").trim();
	return /^\d+\.\d+$/.test(named) ? messageId(channel, named) : named;
}

/** End that the ids of messages with this timestamp have in all channels; undefined for what is no timestamp. */
export function endingOfMessage(text: string): string | undefined {
	return /^\d+\.\d+$/.test(text.trim()) ? messageId("", text.trim()) : undefined;
}

/** When a message was written, in milliseconds since the epoch. */
export function momentOf(ts: string): number {
	return Math.floor(Number(ts) * 1000);
}
