import type { TransientEvent } from "@parley/core";
import type { EventPayloads } from "@parley/protocol";
import type { Told } from "./codec.ts";
import { beginning } from "./envelope-cut.ts";
import { mostArguments } from "./wire-event.ts";

/** An event about a reply while the model makes it. */
export type ReplyEvent = Extract<
	TransientEvent,
	{ readonly type: `${"response" | "thinking" | "arguments" | "text"}.${string}` }
>;
type ArgumentsEvent = Extract<ReplyEvent, { readonly type: `arguments.${string}` }>;

export function isReplyEvent(event: { readonly type: string }): event is ReplyEvent {
	return /^(?:response|thinking|arguments|text)\./.test(event.type);
}

/** Replies in the making as this wire shows them. */
export function tellReplyEvent(event: ReplyEvent): Told {
	switch (event.type) {
		case "response.started":
			return { event: "assistant.started", payload: { run_id: event.runId } };
		case "text.started":
			return tellText("start", "");
		case "text.delta":
			return tellText("delta", event.text);
		case "text.ended":
			return tellText("end", "");
		case "thinking.delta":
			return { event: "assistant.thinking", payload: { run_id: event.runId, content: event.text } };
		case "arguments.started":
			return tellArguments("start", event, { content: "", offset: 0 });
		case "arguments.delta": {
			const content = beginning(event.json, Math.max(0, mostArguments - event.offset));
			return tellArguments("delta", event, { content, offset: event.offset });
		}
		case "arguments.ended":
			return tellArguments("end", event, { content: "", offset: event.length });
	}
}

function tellText(phase: EventPayloads["assistant.stream"]["phase"], content: string): Told {
	return { event: "assistant.stream", payload: { phase, content, index: 0 } };
}

function tellArguments(
	phase: EventPayloads["tool.arguments"]["phase"],
	{ runId, callId, name, index }: ArgumentsEvent,
	part: Pick<EventPayloads["tool.arguments"], "content" | "offset">,
): Told {
	return {
		event: "tool.arguments",
		payload: { run_id: runId, phase, call_id: callId, name, index, ...part },
	};
}
