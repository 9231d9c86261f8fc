import type { Model, ModelEvent, ModelRequest } from "@parley/core";
import { ModelError } from "@parley/core";

/** A reply of the model: its events, or its error. */
export type ScriptedReply = readonly ModelEvent[] | ModelError;

const usageOfReply = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };

/**
 * A model whose calls wait until the test sets their reply. Calls of dependent tasks and of conversations whose
 * provider fails do not wait. The first line of a conversation's first message is the title of the conversation's
 * task.
 */
export class PuppetModel implements Model {
	readonly provider = "puppet";
	readonly defaultModel = "puppet";
	readonly #onQuestion: () => void;
	readonly #calls = new Map<string, (reply: ScriptedReply) => void>();
	/** Titles of tasks whose provider fails. */
	readonly #faulty = new Set<string>();
	/** The last request of each conversation, by title. */
	readonly requests = new Map<string, ModelRequest>();

	constructor(onQuestion: () => void) {
		this.#onQuestion = onQuestion;
	}

	/** Whether a call of the conversation waits for its reply. */
	waits(title: string): boolean {
		return this.#calls.has(title);
	}

	/** Answers the pending call of a conversation. Throws if no call is pending. */
	reply(title: string, reply: ScriptedReply): void {
		const answer = this.#calls.get(title);
		if (!answer) throw new Error(`no call of ${title} waits`);
		this.#calls.delete(title);
		answer(reply);
	}

	/** Sets whether new calls of the conversation fail. */
	breakDown(title: string, broken: boolean): void {
		if (broken) this.#faulty.add(title);
		else this.#faulty.delete(title);
	}

	async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
		const title = titleOf(request);
		this.requests.set(title, request);
		const reply = await this.#nextReply(title, signal);
		if (reply instanceof ModelError) throw reply;
		yield* reply;
		const stop = reply.some(({ type }) => type === "call") ? "tool_use" : "end_turn";
		yield { type: "end", stop, usage: usageOfReply, model: "puppet" };
	}

	async #nextReply(title: string, signal: AbortSignal): Promise<ScriptedReply> {
		if (title.startsWith("needs ")) return [{ type: "text", text: "had what it needs" }];
		if (this.#faulty.has(title)) return outOfOrder();
		signal.throwIfAborted();
		const { promise, resolve, reject } = Promise.withResolvers<ScriptedReply>();
		const stop = (): void => {
			if (this.#calls.get(title) === resolve) this.#calls.delete(title);
			reject(signal.reason);
		};
		signal.addEventListener("abort", stop, { once: true });
		if (this.#calls.has(title)) throw new Error(`${title} calls its model twice at a time`);
		this.#calls.set(title, resolve);
		this.#onQuestion();
		return promise;
	}
}

/** Requested wait in the provider's transient error, in milliseconds. */
export const pauseMs = 60_000;
export function outOfOrder(): ModelError {
	return new ModelError("nobody answers", { fault: "unreachable", retryAfterMs: pauseMs });
}

function titleOf({ messages }: ModelRequest): string {
	const text = messages[0]?.content.find((block) => block.type === "text")?.text ?? "";
	return text.split("\n", 1)[0] ?? "";
}
