import type { CardState } from "../../platform/posting.ts";
import { plainLine } from "../vocabulary/plain.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";

export function notice(
	lane: ShowOperation["lane"],
	text: string,
	state: CardState = "notice",
): ShowOperation {
	return { type: "show", lane, state, text };
}

/** Returns a text without its final full stops, as Markdown without formatting, for example after a colon. */
export function clause(words: string, maximum = 600): string {
	return plainLine(words.replace(/[.\s]+$/u, ""), maximum);
}

/** Returns a text of the gateway as a sentence of limited length, as Markdown without formatting. */
export function sentence(words: string): string {
	const text = clause(words);
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
