import type { UserMessagePayload } from "@parley/protocol";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { eventTexts } from "../texts/events.ts";

/** Prefix of a person's messages. */
export const promptMark = "› ";

/** Text that replaces the message of a retry. */
export const againWords = eventTexts.retry;

export function messageLine({ content, retry_of }: UserMessagePayload): string {
	return retry_of === undefined ? visibleLine(content) : againWords;
}

export function messageRows(message: UserMessagePayload, { columns, styles }: OutputFormat): string[] {
	const { author } = message;
	const content = message.retry_of === undefined ? message.content : againWords;
	const name = author === undefined ? "" : `${visibleLine(author.name)}: `;
	const rows = wrapText(name + visibleText(content), columns - promptMark.length);
	return ["", ...rows.map((row, index) => styles.bold(`${index === 0 ? promptMark : "  "}${row}`))];
}

/** Returns rows for a run that has failed or was cancelled. Returns none if `error` is "". */
export function endRows(error: string, { columns, styles }: OutputFormat): string[] {
	if (error === "") return [];
	if (error === "cancelled") return [styles.yellow("cancelled")];
	return wrapText(`error: ${visibleText(error)}`, columns).map(styles.red);
}

export function noteRows(text: string, { columns, styles }: OutputFormat): string[] {
	return wrapText(visibleLine(text), columns).map(styles.dim);
}

export function headRow(sessionId: string, { styles }: OutputFormat): string {
	return styles.dim(eventTexts.head({ session: visibleLine(sessionId) }));
}

export function errorRows({ message }: Error, { columns, styles }: OutputFormat): string[] {
	return wrapText(visibleText(message), columns).map(styles.red);
}
