import type { Client, EventFrame } from "@parley/protocol";
import { isOzzieEvent } from "@parley/protocol";
import { effectOf } from "./outcome.ts";
import { messageOf } from "./sightings.ts";

/** Approves each prompt once. Approves prompts of withheld messages only after `release`. */
export class Answerer {
	readonly #client: () => Client;
	readonly #withheld = new Set<string>();
	readonly #waiting = new Map<string, string>();
	readonly #answered = new Map<string, Promise<unknown>>();

	constructor(client: () => Client) {
		this.#client = client;
	}

	withhold(message: string): void {
		this.#withheld.add(message);
	}

	release(): void {
		this.#withheld.clear();
		for (const token of this.#waiting.keys()) this.#answer(token);
		this.#waiting.clear();
	}

	receive(frame: EventFrame): void {
		if (!isOzzieEvent(frame) || frame.event !== "prompt.request") return;
		const { token, context } = frame.payload;
		const message = messageOf(effectOf(context.arguments) ?? "");
		if (this.#withheld.has(message)) this.#waiting.set(token, message);
		else this.#answer(token);
	}

	/** Resolves when the gateway has acknowledged all answers so far. Rejects if it refused an answer. */
	async settled(): Promise<void> {
		await Promise.all(this.#answered.values());
	}

	#answer(token: string): void {
		if (this.#answered.has(token)) return;
		this.#answered.set(token, this.#client().request("prompt_response", { token, value: true }));
	}
}
