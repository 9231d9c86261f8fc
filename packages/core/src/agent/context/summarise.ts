import { summaryInstructions } from "../../instructions/auxiliary-prompts.ts";
import type { Message, UserMessage } from "../../vocabulary/message.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { recordOf } from "./record.ts";
import { summaryTexts } from "./texts.ts";

/** Requests a text from the model and records the cost. Rejects if the model call fails. */
export type WriteText = (request: Omit<ModelRequest, "model" | "tools">) => Promise<string>;

/** Part of a conversation. A summary will replace this part. */
export interface SummarySource {
	/** Text of the earlier summary, or "" before the first summary. The earlier summary precedes `messages`. */
	readonly earlier: string;
	readonly messages: readonly Message[];
	/** Maximum tokens of the rendered messages, the earlier summary and the closing instructions together. */
	readonly max: number;
}

export interface SummaryTask extends SummarySource {
	/** Maximum tokens of the summary. */
	readonly length: number;
	readonly measure: (text: string) => number;
	/** A person's instruction for this summary. */
	readonly instruction: string | undefined;
}

/**
 * Returns a summary that a model wrote. Rejects if the model call fails, and with a `ModelError` if the text is empty.
 */
export async function summarise(task: SummaryTask, write: WriteText): Promise<string> {
	const { earlier, messages, length, measure, instruction } = task;
	const before = earlier === "" ? "" : `${summaryTexts.earlier}\n${earlier}\n\n`;
	const request = instruction === undefined ? "" : `\n\n${summaryTexts.instruction(instruction)}`;
	const ending = `\n\n${summaryTexts.ending(wordsIn(length))}${request}`;
	const record = recordOf(messages, task.max - measure(before + ending), measure);
	const text = await write({
		system: summaryInstructions,
		messages: [question(`${summaryTexts.record}\n\n${before}${record}${ending}`)],
		sampling: { maxTokens: summaryReply(length) },
		reasoning: "off",
	});
	const summary = text.trim();
	if (summary === "") throw new ModelError(summaryTexts.empty, { fault: "rejected" });
	return summary;
}

/**
 * Returns the token limit of a reply that contains a summary of `length` tokens. The limit includes thinking. `noteOf`
 * shortens a longer summary.
 */
export function summaryReply(length: number): number {
	return Math.ceil(2 * length) + 500;
}

function question(text: string): UserMessage {
	return { role: "user", content: [{ type: "text", text }] };
}

function wordsIn(tokens: number): number {
	return Math.max(50, Math.floor((tokens * 0.6) / 10) * 10);
}
