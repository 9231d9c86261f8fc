import { ParleyError } from "@parley/base";

/** How the tokens of a model's window are shared out. */
export interface Room {
	readonly window: number;
	/** For the reply. */
	readonly reply: number;
	/** For all messages: the rest after instructions and tools. */
	readonly messages: number;
	/** To where messages shrink when they have outgrown that, so that it does not happen all the time. */
	readonly target: number;
	/** For recent groups, which stay as they are. */
	readonly tail: number;
	/** For all of a summary's message; then for its parts: the first request, the open decisions, what happened. */
	readonly note: number;
	readonly first: number;
	readonly decisions: number;
	readonly body: number;
}

/** A reply may take this part of a window at most. */
const replyShare = 1 / 3;
/** Tokens that are kept free for a reply in a large window: a longer reply is allowed while there is room for it. */
const reservedReply = 32_000;
/** With less for messages nothing sensible can be said. */
const leastRoom = 400;
const longestBody = 4_000;

/** Tokens that are kept free for a reply: all that was asked for, up to 32,000 and a third of the window. */
export function replyRoom(contextWindow: number, wanted: number): number {
	return Math.min(wanted, reservedReply, Math.floor(contextWindow * replyShare));
}

/** Divides a window. `fixed` are the tokens of instructions and tools. Throws if they leave no room. */
export function roomOf(window: number, reply: number, fixed: number): Room {
	const messages = window - reply - fixed;
	if (messages < leastRoom) {
		throw new ParleyError(
			`the instructions and tools alone take about ${Math.ceil(fixed)} tokens of a window of ${window}: ` +
				"choose a model with a larger context window, or an agent with fewer tools",
			{ code: "resource_exhausted" },
		);
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
