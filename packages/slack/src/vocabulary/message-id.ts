/**
 * Returns the id of a message: its channel and timestamp. Timestamps are unique only within a channel
 * (https://docs.slack.dev/messaging/retrieving-messages). The id of a thread is the id of its first message.
 */
export function messageId(channel: string, ts: string): string {
	return `${channel}-${ts}`;
}

/** Parses an id. Returns undefined for text that is not from `messageId`. */
export function readMessageId(id: string): { readonly channel: string; readonly ts: string } | undefined {
	const [, channel, ts] = /^([A-Z0-9]+)-(\d+\.\d+)$/.exec(id) ?? [];
	return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

/**
 * Returns the id of a message. A person can name the message by its link, its id, or its timestamp in `channel`.
 * Returns any other text without surrounding spaces and angle brackets.
 */
export function namedMessage(text: string, channel: string): string {
	const [, linked, seconds, rest] = /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})\b/.exec(text) ?? [];
	if (linked !== undefined) return messageId(linked, `${seconds}.${rest}`);
	const named = text.replace(/^<|>$/g, "").trim();
	return /^\d+\.\d+$/.test(named) ? messageId(channel, named) : named;
}

/** Returns the ending that ids with this timestamp share in all channels. Undefined for other texts. */
export function endingOfMessage(text: string): string | undefined {
	return /^\d+\.\d+$/.test(text.trim()) ? messageId("", text.trim()) : undefined;
}

/** Returns the time of a message in milliseconds since the epoch. */
export function messageTime(ts: string): number {
	return Math.floor(Number(ts) * 1000);
}
