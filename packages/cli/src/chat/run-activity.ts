import type { OzzieEvent } from "@parley/protocol";

/** Approximate number of characters in one token. */
const charactersOfToken = 4;

export interface Activity {
	/** Milliseconds since the first event of the run. Undefined without an active run. */
	readonly elapsedMs: number | undefined;
	/** Number of output tokens. The tokens of the current model call are estimated. */
	readonly tokens: number;
}

export class RunActivity {
	#since: number | undefined;
	#tokens = 0;
	#characters = 0;

	receive(event: OzzieEvent, now: number): void {
		switch (event.event) {
			case "user.message":
				if (!event.payload.steered) this.#since ??= now;
				break;
			case "internal.llm.call":
				if (event.payload.run_id !== "") this.#call(event.payload, now);
				break;
			case "assistant.thinking":
			case "assistant.stream":
			case "tool.arguments":
				this.#since ??= now;
				this.#characters += event.payload.content.length;
				break;
			case "assistant.message":
				this.#since = undefined;
				this.#tokens = 0;
				this.#characters = 0;
				break;
			default:
		}
	}

	at(now: number): Activity {
		return {
			elapsedMs: this.#since === undefined ? undefined : Math.max(0, now - this.#since),
			tokens: this.#tokens + Math.round(this.#characters / charactersOfToken),
		};
	}

	#call(
		{ phase, tokens_output }: { readonly phase: "start" | "end"; readonly tokens_output: number },
		now: number,
	) {
		this.#since ??= now;
		this.#tokens += phase === "end" ? tokens_output : 0;
		this.#characters = 0;
	}
}
