import type { Client, EventFrame } from "@parley/protocol";
import { isOzzieEvent } from "@parley/protocol";
import { effectOf } from "./outcome.ts";
import { messageOf } from "./sightings.ts";

/** Approves what is asked, each question once, unless it is told to wait. */
export class Answerer {
	readonly #client: () => Client;
	readonly #held = new Set<string>();
	readonly #waiting = new Map<string, string>();
	readonly #answered = new Map<string, Promise<unknown>>();

	constructor(client: () => Client) {
		this.#client = client;
	}

	/** Leaves questions about this message open. */
	hold(message: string): void {
		this.#held.add(message);
	}

	/** Answers what was left open. */
	release(): void {
		this.#held.clear();
		for (const token of this.#waiting.keys()) this.#answer(token);
		this.#waiting.clear();
	}

	take(frame: EventFrame): void {
		if (!isOzzieEvent(frame) || frame.event !== "prompt.request") return;
		const { token, context } = frame.payload;
		const message = messageOf(effectOf(context.arguments) ?? "");
		if (this.#held.has(message)) this.#waiting.set(token, message);
		else this.#answer(token);
	}

	/** Rejects when one of the answers was refused; resolves when all have arrived. */
	async settled(): Promise<void> {
		await Promise.all(this.#answered.values());
	}

	#answer(token: string): void {
		if (this.#answered.has(token)) return;
		this.#answered.set(token, this.#client().request("prompt_response", { token, value: true }));
	}
}
