import { isDeepStrictEqual } from "node:util";
import type { Message } from "../../../vocabulary/message.ts";
import type { ModelRequest } from "../../../vocabulary/model.ts";
import type { RunTranscript } from "../../../vocabulary/transcript.ts";

/** Returns the first fault for which a provider would reject the request, or undefined. */
export function structuralFault({ messages }: ModelRequest): string | undefined {
	if (messages[0]?.role !== "user") return "it does not begin with a person";
	for (const [index, message] of messages.entries()) {
		if (message.content.length === 0) return `message ${index} is empty`;
		const before = messages[index - 1];
		const expected = before?.role === "assistant" ? callIdsIn(before) : [];
		const answered = message.role === "tool" ? message.content.map(({ callId }) => callId) : [];
		if (!isDeepStrictEqual(expected, answered)) return `message ${index} does not answer the calls before it`;
	}
	const last = messages.at(-1);
	return last && callIdsIn(last).length > 0 ? "its last calls have no result" : undefined;
}

/** Whether the messages of `other` begin with the messages of `one`, byte for byte. */
export function isPrefix(one: ModelRequest, other: ModelRequest): boolean {
	return JSON.stringify(other.messages).startsWith(JSON.stringify(one.messages).slice(0, -1));
}

/**
 * Returns the transcript position of each message in a request, in the order of the request. Omits messages that are
 * not in the transcript.
 */
export function placesIn(request: ModelRequest, transcript: readonly RunTranscript[]): number[] {
	const all = transcript.flatMap(({ messages }) => messages).map(identityOf);
	return request.messages.map((message) => all.indexOf(identityOf(message))).filter((place) => place !== -1);
}

function identityOf(message: Message): string {
	if (message.role === "tool") return `results ${message.content.map(({ callId }) => callId).join(" ")}`;
	const ids = callIdsIn(message);
	return ids.length > 0 ? `calls ${ids.join(" ")}` : `${message.role} ${textOf(message)}`;
}

function callIdsIn(message: Message): string[] {
	return message.content.flatMap((block) => (block.type === "call" ? [block.id] : []));
}

export function wordsOf({ messages }: ModelRequest): string {
	return messages.map(textOf).join("\n");
}

function textOf({ content }: Message): string {
	return content.map((block) => ("text" in block ? block.text : "")).join("\n");
}
