import type { OzzieEvent } from "@parley/protocol";
import { figureRows } from "../model-rows.ts";
import { RunFigures } from "../run-figures.ts";
import { isTaskEvent } from "../tasks/task.ts";
import { taskEventWords } from "../tasks/task-words.ts";
import { localTime } from "../text/local-time.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { toolEndRows, toolStartRow } from "../tool-rows.ts";
import { grantEndedWords, grantedWords } from "../trust/grant-words.ts";
import { type ShownEvent, toOzzieEvent } from "./past-events.ts";

/** What was said and done, in rows to be read from the top. */
export function toldRows(events: readonly ShownEvent[], look: Look): string[] {
	const figures = new RunFigures();
	return events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		if (!event) return [];
		const taken = figures.take(event);
		const rows = rowsOf(event, new Date(shown.timestamp ?? 0), look);
		return taken ? [...rows, ...figureRows(taken, look)] : rows;
	});
}

/** Whether a side of an imported run said nothing. */
export function isEmptyImport({ event, payload }: OzzieEvent): boolean {
	return (
		(event === "user.message" || event === "assistant.message") &&
		"imported" in payload &&
		payload.content === ""
	);
}

/** The name above a message. */
export function speaker(name: string, imported: true | undefined): string {
	return imported ? `${name} (imported)` : name;
}

function rowsOf(event: OzzieEvent, at: Date, look: Look): string[] {
	if (isEmptyImport(event)) return [];
	if (isTaskEvent(event)) return noteRows(visibleLine(`${event.event}: ${taskEventWords(event)}`), look);
	switch (event.event) {
		case "user.message": {
			const { author, content, attachments = [], imported } = event.payload;
			const files = attachments.map(({ name }) => `+ ${visibleLine(name)}`);
			return [
				"",
				...head(speaker(author?.name ?? "You", imported), at, look),
				...textRows(content, look),
				...files,
			];
		}
		case "assistant.message": {
			const { content, error, imported } = event.payload;
			const said = content.trim() === "" ? [] : textRows(content, look);
			const failed = error === "" ? [] : [look.styles.red(`✗ ${visibleLine(error)}`)];
			return ["", ...head(speaker("Parley", imported), at, look), ...said, ...failed];
		}
		case "tool.call": {
			const { payload } = event;
			return payload.status === "started" ? [toolStartRow(payload, look)] : toolEndRows(payload, false, look);
		}
		case "prompt.request":
			return [look.styles.yellow(`? ${visibleLine(event.payload.label)}`)];
		case "prompt.response":
			return [look.styles.dim(`  ${answerWords(event.payload)}`)];
		case "prompt.closed":
			return [look.styles.dim(`  nobody answered: ${visibleLine(event.payload.reason)}`)];
		case "file.created":
			return [`+ ${visibleLine(event.payload.name)}`];
		case "grant.created":
			return noteRows(grantedWords(event.payload), look);
		case "grant.ended":
			return noteRows(grantEndedWords(event.payload), look);
		default:
			return [];
	}
}

/** What somebody answered to a question, and who. */
export function answerWords({
	value,
	cancelled,
	by,
	remembered,
	reason,
}: Extract<OzzieEvent, { event: "prompt.response" }>["payload"]): string {
	const yes = remembered ? "yes, for this session" : "yes";
	const given = value === true ? yes : (JSON.stringify(value) ?? "");
	const no = reason === undefined ? "no" : `no: ${visibleLine(reason)}`;
	return `${cancelled ? no : visibleLine(given)} (${visibleLine(by)})`;
}

function head(name: string, at: Date, { styles }: Look): string[] {
	return [`${styles.bold(visibleLine(name))} ${styles.dim(`· ${localTime(at)}`)}`];
}

function noteRows(words: string, { columns, styles }: Look): string[] {
	return wrapText(words, columns).map(styles.dim);
}

function textRows(text: string, { columns }: Look): string[] {
	return wrapText(visibleText(text).trimEnd(), columns);
}
