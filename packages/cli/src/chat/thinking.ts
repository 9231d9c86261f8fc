import type { OzzieEvent } from "@parley/protocol";

/** Maximum characters of thinking that are kept. */
const maxLength = 200_000;

/** Complete thinking of one reply. */
export interface Thought {
	readonly text: string;
	readonly seconds: number;
}

/** Events during which a model still thinks. */
const duringThinking: readonly string[] = ["internal.llm.call", "assistant.started", "user.message"];

/** Collects the thinking of a model until other output follows. */
export class Thinking {
	#text = "";
	#since = 0;

	/** Processes an event. Returns the thinking before the first output after it. `now`: milliseconds. */
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
