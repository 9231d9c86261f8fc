import { defineTool, type Model, ModelError, type ModelEvent, type ModelRequest } from "@parley/core";
import { calls, says, stuck } from "@parley/core/testing";
import * as z from "zod";

/** Possible last words of a message. */
export const words = ["say", "look", "dig", "wait", "fail", "plant", "scan"];
/** Possible last words of a message from another client of the session. */
export const wordsOfOthers = ["say", "fail", "plant"];

/** Last words of a message. If a message contains these words, its act phases may offer the host's tools. */
export const withHost = "with the rover";

const known = new RegExp(`\\b(?:${words.join("|")})\\b`, "g");

/** Creates a gateway tool. Each call of the tool requires approval. */
export function plantTool(planted: string[]) {
	return defineTool<Record<string, unknown>>({
		name: "plant",
		description: "Plants.",
		parameters: () => z.record(z.string(), z.unknown()),
		effect: "effectful",
		plan: async () => ({ label: "plant", classes: ["write"], preview: "", binding: {}, notes: [] }),
		async run(_args, _plan, { callId }) {
			planted.push(callId);
			return { text: "planted", failed: false };
		},
	});
}

/** Answers a message according to its last word: with text, tool calls, a reply without an end, or a failure. */
export class WordModel implements Model {
	readonly provider = "scripted";
	readonly defaultModel = "scripted";
	/** Descriptions of model requests that offer the host's tool to a run without the host. */
	readonly faults: string[] = [];
	#calls = 0;

	async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		const { word, text } = this.#read(request);
		const seesScan = request.tools.some(({ name }) => name === "scan");
		if (seesScan && !text.includes(withHost))
			this.faults.push(`a run without the host saw its tool: ${text}`);
		yield { type: "thinking", text: "Hm. " };
		yield says("Well. ");
		if (word === "fail") throw new ModelError("refused", { fault: "rejected" });
		if (word === "wait") yield* this.#wait(request, signal);
		const isCall = ["look", "dig", "plant"].includes(word) || (word === "scan" && seesScan);
		// The phases observe, orient and decide offer no tools.
		const called = isCall && request.tools.length > 0 ? [this.#call(word), this.#call(word)] : [];
		yield* called;
		const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
		const stop = called.length > 0 ? "tool_use" : "end_turn";
		yield { type: "end", stop, usage, model: "scripted-1" };
	}

	/**
	 * Returns the text of the last prompt and its last known word. `word` is "say" if the text has no known word, or
	 * after results of calls.
	 */
	#read({ messages }: ModelRequest): { readonly word: string; readonly text: string } {
		const at = messages.findLastIndex((message) => /Please|Also/.test(JSON.stringify(message.content)));
		const text = JSON.stringify(messages[at]?.content ?? "");
		const hasResults = messages.slice(at + 1).some(({ role }) => role === "tool");
		return { word: hasResults ? "say" : (text.match(known)?.at(-1) ?? "say"), text };
	}

	#call(tool: string): ModelEvent {
		this.#calls += 1;
		return calls(`call_${this.#calls}`, tool);
	}

	async *#wait(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		const reply = stuck("Waiting.");
		if (typeof reply === "function") yield* reply(request, signal);
	}
}
