import { lineEnds } from "../vocabulary/message.ts";
import { type ContextMessage, isEarlier } from "../vocabulary/message-context.ts";

/** Estimated bytes of a message in addition to its text, names and files. */
const aroundBytes = 100;
/**
 * Minimum bytes of a cut text. If fewer bytes are left, and the text of the next message is longer, the selection ends
 * before the message.
 */
const leastBytes = 200;

interface Chosen {
	readonly chosen: readonly ContextMessage[];
	/** Whether messages or parts of messages were left out. */
	readonly isShort: boolean;
}

/**
 * Selects messages within `maxBytes`: first the messages that the request refers to, then the newest. The last selected message
 * may be cut.
 */
export function withinContextBudget(messages: readonly ContextMessage[], maxBytes: number): Chosen {
	const newestFirst = messages.toReversed();
	const order = [
		...newestFirst.filter(({ relation }) => !isEarlier(relation)),
		...newestFirst.filter(({ relation }) => isEarlier(relation)),
	];
	let left = maxBytes;
	let isShort = false;
	const chosen = new Map<ContextMessage, ContextMessage>();
	for (const message of order) {
		const { text, author, files } = message;
		left -= aroundBytes + bytesOf(author.name) + files.reduce((sum, { name }) => sum + bytesOf(name) + 50, 0);
		const needed = bytesOf(text);
		const share = Buffer.byteLength(text) / needed;
		if (left < Math.min(needed, leastBytes)) {
			isShort = true;
			break;
		}
		chosen.set(message, needed <= left ? message : cutMessage(message, Math.floor(left * share)));
		isShort ||= needed > left;
		left -= needed;
	}
	return { chosen: messages.flatMap((message) => chosen.get(message) ?? []), isShort };
}

function bytesOf(text: string): number {
	// Each line also gets the prefix `> `.
	return Buffer.byteLength(text) + 2 * text.split(lineEnds).length;
}

/** Returns the message with at most `bytes` bytes of its text in UTF-8. */
export function cutMessage(message: ContextMessage, bytes: number): ContextMessage {
	const { text } = message;
	if (Buffer.byteLength(text) <= bytes) return message;
	const start = Buffer.from(text).subarray(0, bytes).toString("utf8");
	return { ...message, text: start.replace(/\u{fffd}+$/u, ""), cut: true };
}
