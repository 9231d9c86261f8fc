import type { UserMessagePayload } from "@parley/protocol";
import type { Look } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

/** Prefix of messages of a person. */
export const promptMark = "› ";

/** Shown as the message of a person who requests the last reply again. */
export const againWords = "(retry of the last reply)";

/** A waiting message in one line. */
export function messageLine({ content, retry_of }: UserMessagePayload): string {
	return retry_of === undefined ? visibleLine(content) : againWords;
}

/** A message of a person, behind an empty row. */
export function messageRows(message: UserMessagePayload, { columns, styles }: Look): string[] {
	const { author } = message;
	const content = message.retry_of === undefined ? message.content : againWords;
	const name = author === undefined ? "" : `${visibleLine(author.name)}: `;
	const rows = wrapText(name + visibleText(content), columns - promptMark.length);
	return ["", ...rows.map((row, index) => styles.bold(`${index === 0 ? promptMark : "  "}${row}`))];
}

/** How a run ended, where that was not well. */
export function endRows(error: string, { columns, styles }: Look): string[] {
	if (error === "") return [];
	if (error === "cancelled") return [styles.yellow("cancelled")];
	return wrapText(`error: ${visibleText(error)}`, columns).map(styles.red);
}

/** Something that the program itself has to say. */
export function noteRows(text: string, { columns, styles }: Look): string[] {
	return wrapText(visibleLine(text), columns).map(styles.dim);
}

/** Tells which session this is. */
export function headRow(sessionId: string, { styles }: Look): string {
	return styles.dim(`session ${visibleLine(sessionId)} · /help lists commands and keys`);
}

/** Something that was entered could not be done. */
export function errorRows({ message }: Error, { columns, styles }: Look): string[] {
	return wrapText(visibleText(message), columns).map(styles.red);
}
