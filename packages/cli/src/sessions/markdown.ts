import type { OzzieEvent, ToolCallPayload } from "@parley/protocol";
import { type Figures, RunFigures } from "../run-figures.ts";
import { formatCount, formatUsd } from "../text/amounts.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { figuresOf, titleOf } from "./fact-rows.ts";
import type { SessionFacts } from "./find-session.ts";
import { type ShownEvent, toOzzieEvent } from "./past-events.ts";
import { answerWords, isEmptyImport, speaker } from "./told-rows.ts";

/**
 * A conversation as a Markdown document. What people, models and tools have said stands in quotes and fences that
 * nothing in it can end.
 */
export function toMarkdown(session: SessionFacts, events: readonly ShownEvent[]): string {
	const figures = new RunFigures();
	const parts = events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		return event ? partsOf(event, shown.timestamp ?? "", figures.take(event)) : [];
	});
	return `${[...headOf(session), ...parts].join("\n\n")}\n`;
}

function headOf(session: SessionFacts): string[] {
	const facts = [
		`Id: ${code(session.id)}`,
		`Opened: ${session.created_at}`,
		`Last message: ${session.updated_at}`,
		`Directory: ${code(session.root_dir)}`,
		`Agent: ${code(session.profile)}`,
		`So far: ${figuresOf(session)}`,
		...(session.external_key === undefined ? [] : [`Key: ${code(session.external_key)}`]),
	];
	return [`# ${plain(titleOf(session))}`, facts.map((fact) => `- ${fact}`).join("\n")];
}

function partsOf(event: OzzieEvent, at: string, figures: Figures | undefined): string[] {
	if (isEmptyImport(event)) return [];
	switch (event.event) {
		case "user.message": {
			const { author, content, attachments = [], imported } = event.payload;
			const files = attachments.map(({ name }) => `- File: ${code(name)}`).join("\n");
			const said = [`## ${plain(speaker(author?.name ?? "You", imported))} · ${at}`, quoted(content)];
			return files === "" ? said : [...said, files];
		}
		case "assistant.message": {
			const { content, error, imported } = event.payload;
			const took = figures ? ` · ${plain(tookWords(figures))}` : "";
			const said = content.trim() === "" ? [] : [quoted(content)];
			const failed = error === "" ? [] : [`**Ended:** ${plain(error)}`];
			return [`## ${speaker("Parley", imported)} · ${at}${took}`, ...said, ...failed];
		}
		case "tool.call":
			return callParts(event.payload);
		case "prompt.request":
			return [`**Asked:** ${plain(event.payload.label)}`];
		case "prompt.response":
			return [`**Answered:** ${plain(answerWords(event.payload))}`];
		case "prompt.closed":
			return [`**Not answered:** ${plain(event.payload.reason)}`];
		case "file.created":
			return [`**File:** ${code(event.payload.name)}`];
		default:
			return [];
	}
}

function callParts(call: ToolCallPayload): string[] {
	const name = code(call.name);
	if (call.status === "started") {
		return [`### Calls ${name}`, fenced("json", JSON.stringify(call.arguments, undefined, 2) ?? "null")];
	}
	if (call.status === "failed") return [`**${name} failed:**`, fenced("text", call.error)];
	return [`**${name} returned:**`, fenced("text", call.result)];
}

function tookWords({ model, tokens, costUsd }: Figures): string {
	const took = `${formatCount(tokens.tokens_input)} + ${formatCount(tokens.tokens_output)} tokens`;
	return [visibleLine(model), took, ...(costUsd === undefined ? [] : [formatUsd(costUsd)])].join(" · ");
}

/** A fence that is longer than any in the text ends where it should: https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
function fenced(language: string, text: string): string {
	const fence = "`".repeat(Math.max(3, 1 + longestRun(text)));
	return `${fence}${language}\n${visibleText(text).replace(/\n$/, "")}\n${fence}`;
}

/** What opens in a quote ends with it: https://spec.commonmark.org/0.31.2/#block-quotes */
function quoted(text: string): string {
	const lines = visibleText(text).trimEnd().split("\n");
	return lines.map((line) => `> ${line}`.trimEnd()).join("\n");
}

/** https://spec.commonmark.org/0.31.2/#code-spans */
function code(text: string): string {
	const line = visibleLine(text);
	const ticks = "`".repeat(1 + longestRun(line));
	const pad = /^`|`$|^ .* $/.test(line) ? " " : "";
	return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Words in which nothing is Markdown: https://spec.commonmark.org/0.31.2/#backslash-escapes */
function plain(text: string): string {
	return visibleLine(text).replaceAll(/[\\`*_[\]<>#&!|~]/g, "\\$&");
}

function longestRun(text: string): number {
	return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
