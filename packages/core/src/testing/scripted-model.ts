import { ParleyError } from "@parley/base";
import type { Model, ModelEvent, ModelRequest } from "../vocabulary/model.ts";

/** One scripted reply: a list of events or a custom stream. A list without `end` gets an `end`. */
export type ScriptedReply =
	| readonly ModelEvent[]
	| ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export function says(text: string): ModelEvent {
	return { type: "text", text };
}

export function calls(id: string, name: string, args: unknown = {}): ModelEvent {
	return { type: "call", id, name, arguments: args };
}

/** Returns a reply that sends `text` and then waits until it is cancelled. */
export function stuck(text: string): ScriptedReply {
	return async function* (_request, signal) {
		yield says(text);
		signal.throwIfAborted();
		await new Promise((_, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
	};
}

/** Returns a reply that sends `first` at once, and `text` when the gate opens. */
export function gated(gate: Promise<void>, text: string, first = ""): ScriptedReply {
	return async function* () {
		if (first !== "") yield says(first);
		await gate;
		yield says(text);
		yield { type: "end", stop: "end_turn", usage: scriptedUsage, model: "scripted-1" };
	};
}

const scriptedUsage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Model with one scripted reply for each request. It records the requests. Throws if no reply is left. */
export class ScriptedModel implements Model {
	readonly provider = "scripted";
	readonly defaultModel = "scripted";
	readonly requests: ModelRequest[] = [];
	readonly #replies: ScriptedReply[];

	constructor(...replies: readonly ScriptedReply[]) {
		this.#replies = [...replies];
	}

	async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		this.requests.push(request);
		const reply = this.#replies.shift();
		if (!reply) throw new ParleyError("the script is at its end", { code: "failed_precondition" });
		if (typeof reply === "function") {
			yield* reply(request, signal);
			return;
		}
		yield* reply;
		if (reply.some((event) => event.type === "end")) return;
		const stop = reply.some((event) => event.type === "call") ? "tool_use" : "end_turn";
		yield { type: "end", stop, usage: scriptedUsage, model: "scripted-1" };
	}
}
