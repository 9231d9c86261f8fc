import { definedItems } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { plainLine, visible, visibleLine, visibleWords } from "../conversation/vocabulary/plain.ts";
import type { PastEvent } from "../gateway/gateway-files.ts";
import { exportTexts } from "../texts/export.ts";

/** Maximum length of one text, in UTF-16 code units. */
const maxPart = 20_000;
/** Maximum total size of a transcript's parts, in bytes. */
const maxTranscript = 2 * 1024 * 1024;

const maxName = 200;

/**
 * Returns a conversation as a Markdown document. Quotes and fences isolate the text of people, models and
 * tools. Control characters that could affect a terminal or an editor are escaped. The oldest parts of a very
 * long conversation are omitted.
 */
export async function transcriptOf(
	title: string,
	events: AsyncIterable<PastEvent> | Iterable<PastEvent>,
	now: number,
): Promise<string> {
	const blocks: string[] = [];
	let size = 0;
	let left = 0;
	for await (const event of events) {
		for (const block of blocksOf(event)) {
			blocks.push(block);
			size += sizeOf(block);
		}
		for (; size > maxTranscript; left++) size -= sizeOf(blocks.shift() ?? "");
	}
	const head = [`# ${plainLine(title, maxName)}`, exportTexts.exported({ at: timeOf(now) })];
	const cut = left > 0 ? [exportTexts.leftOut] : [];
	return `${[...head, ...cut, ...blocks].join("\n\n")}\n`;
}

function sizeOf(block: string): number {
	return Buffer.byteLength(block) + 2;
}

function blocksOf({ event, at }: PastEvent): string[] {
	switch (event.event) {
		case "user.message":
			return messageOf(event.payload, at);
		case "assistant.message":
			return answerOf(event.payload, at);
		case "tool.call":
			return callOf(event.payload);
		case "prompt.request":
			return [exportTexts.question({ question: plainLine(event.payload.label, maxPart) })];
		case "prompt.response":
			return [event.payload.cancelled ? exportTexts.declined : exportTexts.answered];
		case "file.created":
			return [exportTexts.file({ name: plainLine(event.payload.name, maxName) })];
		default:
			return [];
	}
}

type PayloadOf<Name extends OzzieEvent["event"]> = Extract<OzzieEvent, { readonly event: Name }>["payload"];

function messageOf({ content, author, attachments = [] }: PayloadOf<"user.message">, at: number): string[] {
	const files = attachments.map(({ name }) => exportTexts.file({ name: plainLine(name, maxName) }));
	if (content === "" && files.length === 0) return [];
	const name = author === undefined ? exportTexts.operator : plainLine(author.name, maxName);
	const head = `## ${name} · ${timeOf(at)}`;
	return [...definedItems([head, content === "" ? undefined : quoted(content)]), ...files];
}

function answerOf({ content, error }: PayloadOf<"assistant.message">, at: number): string[] {
	const text = content.trim() === "" ? undefined : quoted(content);
	const failed = error === "" ? undefined : exportTexts.ended({ reason: plainLine(error, maxPart) });
	const parts = definedItems([text, failed]);
	return parts.length === 0 ? [] : [`## ${exportTexts.agent} · ${timeOf(at)}`, ...parts];
}

function callOf(call: PayloadOf<"tool.call">): string[] {
	const name = `\`${visibleLine(call.name).replaceAll("`", "'")}\``;
	if (call.status === "started") {
		const json = JSON.stringify(call.arguments, undefined, 2) ?? "null";
		return [exportTexts.call({ name }), fenced("json", json)];
	}
	const [head, text] =
		call.status === "completed"
			? [exportTexts.result({ name }), call.result]
			: [exportTexts.failure({ name }), call.error];
	return text.trim() === "" ? [head] : [head, fenced("", text)];
}

/** Quotes each line, so that no text can look like another part of the document. */
function quoted(text: string): string {
	return shortened(text)
		.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
		.map((line) => `> ${visibleWords(line)}`)
		.join("\n");
}

function fenced(language: string, text: string): string {
	const lines = visible(shortened(text.replaceAll("\r\n", "\n")).trimEnd());
	// The fence must be longer than every sequence of backticks in the text.
	const longest = Math.max(2, ...[...lines.matchAll(/`+/g)].map(([marks]) => marks.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${lines}\n${fence}`;
}

function shortened(text: string): string {
	if (text.length <= maxPart) return text;
	const count = text.length - maxPart;
	return `${text.slice(0, maxPart).toWellFormed()}\n${exportTexts.shortened({ count })}`;
}

function timeOf(at: number): string {
	return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
