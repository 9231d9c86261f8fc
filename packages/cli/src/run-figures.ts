import type { AssistantMessagePayload, OzzieEvent } from "@parley/protocol";

type Used = Extract<OzzieEvent, { event: "usage.updated" }>["payload"]["run"];

/** Who answered in a run, and what that took. */
export interface Figures {
	readonly model: string;
	/** Undefined where nobody told. */
	readonly provider: string | undefined;
	readonly tokens: Omit<Used, "cost_usd">;
	/** Undefined where nobody told. */
	readonly costUsd: number | undefined;
}

/** Gathers from a session's events what is to be said at the end of each run. */
export class RunFigures {
	#provider: string | undefined;
	#used: Used | undefined;

	/** Takes in an event; at the end of a run returns its figures, where a model was asked. */
	take(event: OzzieEvent): Figures | undefined {
		if (event.event === "internal.llm.call") this.#provider = event.payload.provider;
		if (event.event === "usage.updated") this.#used = event.payload.run;
		return event.event === "assistant.message" ? this.#end(event.payload) : undefined;
	}

	#end({ context: { model, usage } }: AssistantMessagePayload): Figures | undefined {
		const used = this.#used;
		const provider = this.#provider;
		this.#used = undefined;
		this.#provider = undefined;
		const tokens = used ?? usage;
		if (model === undefined || tokens === undefined) return undefined;
		const { tokens_input, tokens_output, tokens_cache_read, tokens_cache_write } = tokens;
		return {
			...{ model, provider, costUsd: used?.cost_usd },
			tokens: { tokens_input, tokens_output, tokens_cache_read, tokens_cache_write },
		};
	}
}
