import type { EventPayloads } from "@parley/protocol";
import { oneLine, plain } from "../vocabulary/plain.ts";
import type { Scene, Step } from "../vocabulary/reducer.ts";
import type { ShowIntention } from "../vocabulary/render-operation.ts";
import { showWaiting } from "./cards.ts";
import { type AnswersSlice, messageOf, type Run, withRun } from "./runs.ts";
import { beginScheduled } from "./scheduled.ts";

type Said = EventPayloads["user.message"];

const mostOfAbout = 80;
const mostOfQuote = 300;

/** Somebody has said something, here or with another client. */
export function accept(slice: AnswersSlice, said: Said, scene: Scene): Step<AnswersSlice> {
	if (said.origin) return beginScheduled(slice, { id: said.run_id, origin: said.origin }, scene);
	const quoted = isShownHere(said) ? [] : [quote(said, scene)];
	if (said.steered) return { slice, intentions: quoted };
	const position = slice.open.length;
	const run: Run = { ...begun(slice, said), ...(position > 0 && { waited: true }) };
	const cards = position > 0 ? [showWaiting(run, position, scene)] : [];
	return { slice: withRun(slice, run), intentions: [...quoted, ...cards] };
}

function begun(slice: AnswersSlice, said: Said): Run {
	const { run_id: id, author, content, retry_of } = said;
	const message = ownMessage(said) ?? (retry_of === undefined ? undefined : messageOf(slice, retry_of));
	return {
		...{ id, about: oneLine(content, mostOfAbout) },
		...(message !== undefined && { message }),
		...(author && { author }),
	};
}

/** The post that says it is ours to reply to: other clients may name messages, too, but write for nobody else. */
function ownMessage({ author, correlation_id }: Said): string | undefined {
	return author && correlation_id;
}

/** What is made again was seen already. */
function isShownHere(said: Said): boolean {
	return ownMessage(said) !== undefined || said.retry_of !== undefined;
}

/** So that people understand what is answered. */
function quote({ author, content, attachments = [] }: Said, scene: Scene): ShowIntention {
	const who = author ? `${nameOf(author, scene)} asks` : "From the terminal";
	const files = attachments.length === 0 ? "" : ` (files: ${attachments.length})`;
	const text = `> ${who}: ${plain(content, mostOfQuote)}${files}`;
	return { type: "show", lane: "milestone", text };
}

/** People of chat platforms are `discord:GUILD:USER`. */
function nameOf({ id, name }: NonNullable<Said["author"]>, { platform }: Scene): string {
	const own = id.split(":")[2];
	return own === undefined ? plain(name === "" ? id : name, mostOfAbout) : platform.person(own);
}
