import { defined, definedItems, formatUsd } from "@parley/base";
import type { EventPayloads } from "@parley/protocol";
import { formatCount } from "../text/amounts.ts";
import { localTime } from "../text/local-time.ts";
import { codeMarkdown, fencedMarkdown, plainMarkdown, quotedMarkdown } from "../text/markdown.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { eventTexts } from "../texts/events.ts";
import type { RunMetrics } from "./model-rows.ts";

type UserMessage = EventPayloads["user.message"];
type Answer = EventPayloads["assistant.message"];

/** Time of an event. If the event ends a run, also the model and usage of the run. */
export interface MarkdownContext {
	/** Time in RFC 3339 format. */
	readonly at: string;
	readonly metrics: RunMetrics | undefined;
}

export interface TranscriptContext {
	readonly at: Date;
	readonly format: OutputFormat;
	/** Number of a person's message in its session. */
	readonly number?: number;
}

/** Returns a person's message in a transcript. Returns no rows if an imported run has no message. */
export function userTranscript(message: UserMessage, { at, format, number }: TranscriptContext): string[] {
	if (isEmptyImport(message)) return [];
	const { author, content, attachments = [], imported } = message;
	const files = attachments.map(({ name }) => `+ ${visibleLine(name)}`);
	return [
		"",
		headRow(authorName(author?.name ?? "You", imported), { at, format, ...defined({ number }) }),
		...textRows(content, format),
		...files,
	];
}

/** Returns a person's message in Markdown. See `userTranscript`. */
export function userMarkdown(message: UserMessage, at: string): string[] {
	if (isEmptyImport(message)) return [];
	const { author, content, attachments = [], imported } = message;
	const files = attachments.map(({ name }) => `- File: ${codeMarkdown(name)}`).join("\n");
	const head = `## ${plainMarkdown(authorName(author?.name ?? "You", imported))} · ${at}`;
	return definedItems([head, quotedMarkdown(content), files === "" ? undefined : files]);
}

/** Returns the end of a run in a transcript. Returns no rows if an imported run has no answer. */
export function answerTranscript(answer: Answer, at: Date, format: OutputFormat): string[] {
	if (isEmptyImport(answer)) return [];
	const { content, error, imported } = answer;
	const text = content.trim() === "" ? [] : textRows(content, format);
	const failed = error === "" ? [] : [format.styles.red(`✗ ${visibleLine(error)}`)];
	return ["", headRow(authorName("Parley", imported), { at, format }), ...text, ...failed];
}

/** Returns the end of a run in Markdown. See `answerTranscript`. */
export function answerMarkdown(answer: Answer, { at, metrics }: MarkdownContext): string[] {
	if (isEmptyImport(answer)) return [];
	const { content, error, imported } = answer;
	const usage = metrics ? ` · ${plainMarkdown(usageWords(metrics))}` : "";
	const text = content.trim() === "" ? [] : [quotedMarkdown(content)];
	const failed = error === "" ? [] : [`**Ended:** ${plainMarkdown(error)}`];
	return [`## ${authorName("Parley", imported)} · ${at}${usage}`, ...text, ...failed];
}

/** Returns a tool call in Markdown, with its complete arguments, result or error. */
export function toolMarkdown(call: EventPayloads["tool.call"]): string[] {
	const name = codeMarkdown(call.name);
	if (call.status === "started") {
		const json = JSON.stringify(call.arguments, undefined, 2) ?? "null";
		return [`### Calls ${name}`, fencedMarkdown("json", json)];
	}
	if (call.status === "failed") return [`**${name} failed:**`, fencedMarkdown("text", call.error)];
	return [`**${name} returned:**`, fencedMarkdown("text", call.result)];
}

/** Returns the answer to a question, and the person who gave it. */
export function promptAnswerWords({
	value,
	cancelled,
	by,
	remembered,
	reason,
}: EventPayloads["prompt.response"]): string {
	const yes = remembered ? eventTexts.yesForSession : "yes";
	const given = value === true ? yes : (JSON.stringify(value) ?? "");
	const no = reason === undefined ? "no" : `no: ${visibleLine(reason)}`;
	return `${cancelled ? no : visibleLine(given)} (${visibleLine(by)})`;
}

/** Returns the text about an approval of a call that requires several approvals. */
export function promptVoteWords({ by, approvals, needed, changed }: EventPayloads["prompt.vote"]): string {
	const words = eventTexts.approvals({ approvals, needed, by: visibleLine(by) });
	return changed === undefined
		? words
		: eventTexts.withChangedArguments({ approvals: words, call: visibleLine(changed.label) });
}

function isEmptyImport({ content, imported }: UserMessage | Answer): boolean {
	return imported === true && content === "";
}

function authorName(name: string, imported: true | undefined): string {
	return imported ? `${name} (imported)` : name;
}

function headRow(name: string, { at, format: { styles }, number }: TranscriptContext): string {
	const facts = definedItems([
		localTime(at),
		number === undefined ? undefined : eventTexts.number({ number }),
	]);
	return `${styles.bold(visibleLine(name))} ${styles.dim(`· ${facts.join(" · ")}`)}`;
}

function textRows(text: string, { columns }: OutputFormat): string[] {
	return wrapText(visibleText(text).trimEnd(), columns);
}

function usageWords({ model, tokens, costUsd }: RunMetrics): string {
	const counts = `${formatCount(tokens.tokens_input)} + ${formatCount(tokens.tokens_output)} tokens`;
	return definedItems([
		visibleLine(model),
		counts,
		costUsd === undefined ? undefined : formatUsd(costUsd),
	]).join(" · ");
}
