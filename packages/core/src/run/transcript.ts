import type { CallBlock, Message, ResultBlock } from "../message.ts";
import type { Step } from "./step.ts";

/** The calls that a reply asks for, in the model's order. */
export function callsOf(content: Extract<Step, { kind: "reply" }>["content"]): readonly CallBlock[] {
	return content.filter((block) => block.type === "call");
}

/** The text of a reply, without its thinking and calls. */
export function textOf(content: Extract<Step, { kind: "reply" }>["content"]): string {
	return content
		.filter((block) => block.type === "text")
		.map((block) => block.text)
		.join("");
}

/**
 * What the model is to see of one run: the message that started it, then replies and results. A call of a reply that
 * never ran (the run was cancelled first) gets a result that says so, since providers refuse a call without one.
 */
export function messagesOf(content: string, steps: readonly Step[]): Message[] {
	const messages: Message[] = [{ role: "user", content: [{ type: "text", text: content }] }];
	const results = new Map<string, ResultBlock>();
	for (const step of steps) {
		if (step.kind !== "result") continue;
		results.set(step.callId, { type: "result", callId: step.callId, text: step.text, failed: step.failed });
	}
	const ended = steps.at(-1)?.kind === "ended";
	for (const step of steps) {
		if (step.kind !== "reply" || step.content.length === 0) continue;
		messages.push({ role: "assistant", content: step.content });
		const calls = callsOf(step.content);
		if (calls.length === 0) continue;
		const blocks = calls.map((call) => results.get(call.id) ?? neverRan(call.id));
		if (ended || calls.every((call) => results.has(call.id)))
			messages.push({ role: "tool", content: blocks });
	}
	return messages;
}

function neverRan(callId: string): ResultBlock {
	return { type: "result", callId, text: "not run: the run was cancelled first", failed: true };
}
