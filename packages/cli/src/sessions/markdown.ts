import { RunFigures } from "../run-figures.ts";
import { codeMarkdown, plainMarkdown } from "../text/markdown.ts";
import { markdownBlocks } from "../wordings/event-wordings.ts";
import { figuresOf, titleOf } from "./fact-rows.ts";
import type { SessionFacts } from "./find-session.ts";
import { type ShownEvent, toOzzieEvent } from "./past-events.ts";

/**
 * A session as a Markdown document. Text of people, models and tools is in quotes and fences that no such text can end.
 */
export function toMarkdown(session: SessionFacts, events: readonly ShownEvent[]): string {
	const figures = new RunFigures();
	const blocks = events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		if (!event) return [];
		return markdownBlocks(event, { at: shown.timestamp ?? "", figures: figures.take(event) });
	});
	return `${[...headOf(session), ...blocks].join("\n\n")}\n`;
}

function headOf(session: SessionFacts): string[] {
	const facts = [
		`Id: ${codeMarkdown(session.id)}`,
		`Opened: ${session.created_at}`,
		`Last message: ${session.updated_at}`,
		`Directory: ${codeMarkdown(session.root_dir)}`,
		`Agent: ${codeMarkdown(session.profile)}`,
		`So far: ${figuresOf(session)}`,
		...(session.external_key === undefined ? [] : [`Key: ${codeMarkdown(session.external_key)}`]),
	];
	return [`# ${plainMarkdown(titleOf(session))}`, facts.map((fact) => `- ${fact}`).join("\n")];
}
