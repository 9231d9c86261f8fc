import { type ShownEvent, toOzzieEvent } from "../sessions/past-events.ts";
import { clockTime } from "../text/local-time.ts";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { listWords } from "../wordings/event-wordings.ts";

/** Of an id: enough to tell a few conversations apart, and to name one to the command. */
const idCharacters = "sess_".length + 6;
/** Where nothing is shortened to a terminal. */
const mostColumns = 200;

/** An event in one row: when, where, what. */
export function eventRow(shown: ShownEvent, look: Look): string {
	const { dim, cyan, red } = look.styles;
	const time = shown.timestamp === undefined ? "        " : clockTime(new Date(shown.timestamp));
	const id = visibleLine(shown.session_id.slice(0, idCharacters)).padEnd(idCharacters);
	const type = visibleLine(shown.type).padEnd("internal.llm.call".length);
	const event = toOzzieEvent(shown);
	const told = event ? listWords(event) : { words: "" };
	const left = Math.min(look.columns, mostColumns) - time.length - id.length - type.length - 6;
	const words = shorten(visibleLine(told.words), Math.max(10, left));
	return `${dim(time)}  ${dim(id)}  ${cyan(type)}  ${told.failed ? red(words) : words}`.trimEnd();
}
