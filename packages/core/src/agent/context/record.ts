import type { Message } from "../../vocabulary/message.ts";
import { cutLine, shortenMiddle, shortenTo } from "./shorten.ts";
import { summaryNoteTexts } from "./texts.ts";

/** Counts the tokens of a text. */
type Measure = (text: string) => number;

const caps = [20_000, 8_000, 4_000, 2_000, 1_000, 500, 250, 120];

/**
 * Renders messages as text of at most `max` tokens, for the model that writes the summary. Long parts are shortened.
 * Thinking is left out.
 */
export function recordOf(messages: readonly Message[], max: number, measure: Measure): string {
	let text = "";
	for (const cap of caps) {
		text = messages.flatMap((message, index) => linesOf(message, messages[index - 1], cap)).join("\n\n");
		if (measure(text) <= max) return text;
	}
	return shortenTo(text, max, measure);
}

function linesOf(message: Message, before: Message | undefined, cap: number): string[] {
	if (message.role === "tool") {
		return message.content.map(({ callId, text, failed, pictures: images = [] }) => {
			const name = nameOf(callId, before);
			const line = [
				shortenMiddle(text, Math.min(cap, 2_000)),
				...images.map(() => summaryNoteTexts.image),
			].join(" ");
			return `RESULT OF ${name}${failed ? " (failed)" : ""}: ${line}`;
		});
	}
	const author = message.role === "user" ? "PERSON" : "AGENT";
	return message.content.flatMap((block) => {
		if (block.type === "text")
			return block.text === "" ? [] : [`${author}: ${shortenMiddle(block.text, cap)}`];
		if (block.type === "image") return [`${author}: ${summaryNoteTexts.image}`];
		if (block.type !== "call") return [];
		return [
			`AGENT CALLS ${block.name}: ${shortenMiddle(JSON.stringify(block.arguments ?? {}), Math.min(cap, 1_000))}`,
		];
	});
}

function nameOf(callId: string, before: Message | undefined): string {
	if (before?.role !== "assistant") return "a tool";
	const call = before.content.find((block) => block.type === "call" && block.id === callId);
	return call?.type === "call" ? call.name : "a tool";
}

/**
 * Renders user messages and replies, one line each, in at most `max` tokens. Used if no model summarises the messages.
 * User messages have priority over replies, and newer lines over older lines.
 */
export function extractOf(messages: readonly Message[], max: number, measure: Measure): string {
	const lines = messages.flatMap((message) => {
		const text = message.role === "tool" ? "" : textOf(message);
		if (text === "") return [];
		return [`- ${message.role === "user" ? "asked" : "answered"}: ${cutLine(text, 200)}`];
	});
	const newest = lines.toReversed();
	const questions = newest.filter((line) => line.startsWith("- asked"));
	let size = 0;
	const recorded = new Set<string>();
	for (const line of [...questions, ...newest]) {
		size += recorded.has(line) ? 0 : measure(`${line}\n`);
		if (size <= max) recorded.add(line);
	}
	return lines.filter((line) => recorded.has(line)).join("\n");
}

function textOf(message: Exclude<Message, { role: "tool" }>): string {
	return message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
}
