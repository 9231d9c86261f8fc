/**
 * Id of a message: channel and timestamp, because timestamps are unique only within a channel
 * (https://docs.slack.dev/messaging/retrieving-messages). The id of a thread is that of its first message.
 */
export function messageId(channel: string, ts: string): string {
	return `${channel}-${ts}`;
}

/** Returns undefined for text that is not from `messageId`. */
export function readMessageId(id: string): { readonly channel: string; readonly ts: string } | undefined {
	const [, channel, ts] = /^([A-Z0-9]+)-(\d+\.\d+)$/.exec(id) ?? [];
	return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

/** Reads a message that a person names by its link, its id, or its timestamp in this channel. */
export function namedMessage(text: string, channel: string): string {
	const [, linked, seconds, rest] = /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})\b/.exec(text) ?? [];
	if (linked !== undefined) return messageId(linked, `${seconds}.${rest}`);
	const named = text.replace(/^<|>$/g, "").trim();
	return /^\d+\.\d+$/.test(named) ? messageId(channel, named) : named;
}

/** Common end of the ids with this timestamp in all channels; undefined for other texts. */
export function endingOfMessage(text: string): string | undefined {
	return /^\d+\.\d+$/.test(text.trim()) ? messageId("", text.trim()) : undefined;
}

/** Time of a message, in milliseconds since the epoch. */
export function momentOf(ts: string): number {
	return Math.floor(Number(ts) * 1000);
}
