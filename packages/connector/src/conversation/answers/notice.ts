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

/** Returns a text of the gateway as a sentence of limited length, as Markdown without formatting. */
export function sentence(words: string): string {
	const text = plainLine(words.replace(/[.\s]+$/u, ""), 600);
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
