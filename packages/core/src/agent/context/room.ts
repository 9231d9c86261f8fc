import { ParleyError } from "@parley/base";
import { roomTexts } from "./texts.ts";

/** Shares of a model's window, in tokens. */
export interface Room {
	readonly window: number;
	readonly reply: number;
	/** Maximum tokens of all messages: the window without instructions, tools and reply. */
	readonly messages: number;
	/** Intended size after a compaction. It is smaller than `messages` to delay the next compaction. */
	readonly target: number;
	/**
	 * Maximum tokens of the recent message groups. Clearing leaves these groups unchanged. The newest groups are recent
	 * even if they exceed this maximum.
	 */
	readonly tail: number;
	/**
	 * Maximum tokens of the summary note. `first`, `decisions` and `body`: maximum tokens of its parts, which are the
	 * first request, the open decisions and the summary text.
	 */
	readonly note: number;
	readonly first: number;
	readonly decisions: number;
	readonly body: number;
}

/** Maximum share of a window for a reply. */
const replyShare = 1 / 3;
/** Maximum tokens reserved for a reply. A longer reply is allowed if the window has room for it. */
const reservedReply = 32_000;
/** Minimum tokens for messages. */
const leastRoom = 400;
const longestBody = 4_000;

/** Returns the reserved tokens for a reply: the requested number, but at most 32,000 and a third of the window. */
export function replyRoom(contextWindow: number, requested: number): number {
	return Math.min(requested, reservedReply, Math.floor(contextWindow * replyShare));
}

/**
 * Divides a window into shares. `fixed`: tokens of instructions and tools. Throws `resource_exhausted` if `fixed`
 * leaves too little room for messages.
 */
export function roomOf(window: number, reply: number, fixed: number): Room {
	const messages = window - reply - fixed;
	if (messages < leastRoom) {
		throw new ParleyError(roomTexts.noRoom(Math.ceil(fixed), window), { code: "resource_exhausted" });
	}
	const [first, decisions, body] = [0.1 * messages, 0.08 * messages, Math.min(0.12 * messages, longestBody)];
	return {
		window,
		reply,
		messages,
		target: 0.65 * messages,
		tail: 0.33 * messages,
		first,
		decisions,
		body,
		note: first + decisions + body + 0.02 * messages + 60,
	};
}
