import type { UserMessage } from "../../vocabulary/message.ts";
import { oneLine, shortenTo } from "./shorten.ts";

const opening = "[This note stands for the earlier part of the conversation, to save room.]";
const firstHeading = "The first request, word for word:";
const openHeading = "Still open, as the gateway knows it:";
const bodyHeading = "What happened so far:";

/** Parts of a summary message. */
export interface NoteParts {
	/** Absent where it is still in the conversation itself. */
	readonly first: UserMessage | undefined;
	readonly decisions: readonly string[];
	readonly body: string;
}

/** Tokens for each of the parts, and how to count them. */
export interface NoteRoom {
	readonly first: number;
	readonly decisions: number;
	readonly body: number;
	readonly measure: (text: string) => number;
}

/** The text that takes the place of messages. */
export function noteOf({ first, decisions, body }: NoteParts, room: NoteRoom): string {
	const sections = [opening];
	if (first) {
		sections.push(`${firstHeading}\n<<<\n${shortenTo(textOf(first), room.first, room.measure)}\n>>>`);
	}
	if (decisions.length > 0) sections.push(`${openHeading}\n${newestOf(decisions, room)}`);
	sections.push(`${bodyHeading}\n${shortenTo(body, room.body, room.measure)}`);
	return sections.join("\n\n");
}

/** Summary text of a note that `noteOf` made. */
export function bodyOf(note: string): string {
	const start = note.lastIndexOf(`\n${bodyHeading}\n`);
	return start === -1 ? note : note.slice(start + bodyHeading.length + 2);
}

function textOf({ content }: UserMessage): string {
	return content.map((block) => (block.type === "text" ? block.text : "(a picture)")).join("\n");
}

function newestOf(decisions: readonly string[], { decisions: most, measure }: NoteRoom): string {
	let size = 0;
	const kept = decisions
		.toReversed()
		.map((decision) => `- ${oneLine(decision, 600)}`)
		.filter((line) => {
			size += measure(`${line}\n`);
			return size <= most;
		});
	const left = decisions.length - kept.length;
	return [...(left > 0 ? [`- (${left} older ones left out)`] : []), ...kept.toReversed()].join("\n");
}
