import type { OzzieEvent } from "@parley/protocol";

/** Maximum number of stored characters of thinking. */
const maxLength = 200_000;

/** The thinking of one reply, up to `maxLength` characters, and its duration. */
export interface Thought {
	readonly text: string;
	readonly seconds: number;
}

/** Events that may arrive while a model is still thinking. */
const duringThinking: readonly string[] = ["internal.llm.call", "assistant.started", "user.message"];

export class Thinking {
	#text = "";
	#since = 0;

	/**
	 * Processes an event. Returns the thinking at the first event that cannot arrive during thinking, otherwise
	 * undefined. `now` is in milliseconds.
	 */
	receive(event: OzzieEvent, now: number): Thought | undefined {
		if (event.event === "assistant.thinking") {
			if (this.#text === "") this.#since = now;
			this.#text = (this.#text + event.payload.content).slice(0, maxLength);
			return undefined;
		}
		const text = this.#text.trim();
		if (text === "" || duringThinking.includes(event.event)) return undefined;
		this.#text = "";
		return { text, seconds: Math.round((now - this.#since) / 1000) };
	}
}
