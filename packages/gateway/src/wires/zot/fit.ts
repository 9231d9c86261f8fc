import { jsonBytes } from "./json-text.ts";
import type { Block } from "./schema.ts";

/** A frame stays below 16 MiB: what clients take for one line. Something is left for its envelope. */
const mostBytes = 15 * 1024 * 1024;

interface Shown {
	readonly role: string;
	readonly content: readonly Block[];
	readonly time: string;
}

/** The newest messages that one frame has room for; `omitted` counts the older ones, where there are any. */
export function fitMessages(messages: readonly Shown[]): {
	readonly messages: readonly Shown[];
	readonly omitted?: number;
} {
	let left = mostBytes;
	let from = messages.length;
	for (; from > 0; from--) {
		const message = messages[from - 1];
		left -= jsonBytes(message) + 1;
		if (left < 0) break;
	}
	return from === 0 ? { messages } : { messages: messages.slice(from), omitted: from };
}
