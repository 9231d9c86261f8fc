import type { Clock } from "@parley/base";
import type { Model } from "../../vocabulary/model.ts";
import type { ModelError } from "../../vocabulary/model-error.ts";

/** How a provider was found when it was last asked. */
export interface ProviderState {
	readonly provider: string;
	/** The model that it was last asked for. */
	readonly model: string;
	/** `refused`: it does not take the key. */
	readonly state: "ok" | "refused" | "unreachable";
	/** Since when, in milliseconds since the epoch. */
	readonly since: number;
	/** For people; "" where all is well. */
	readonly reason: string;
}

/** Remembers of each server that answers for a provider whether it does, as far as calls have shown it. */
export class ProviderHealth {
	readonly #clock: Clock;
	/** A model object stands for one server. */
	readonly #states = new Map<Model, ProviderState>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Those that were asked so far, in the order in which they first were. */
	list(): readonly ProviderState[] {
		return [...this.#states.values()];
	}

	/** Records the end of a call. */
	answered(asked: Model, model: string): void {
		this.#set(asked, { model, state: "ok", reason: "" });
	}

	/**
	 * A call has failed; of faults that pass by themselves nothing is remembered. Returns whether the server was in
	 * another state before. The error's message must hold no secret.
	 */
	failed(asked: Model, model: string, { fault, message: reason }: ModelError): boolean {
		if (fault === "unauthenticated") return this.#set(asked, { model, state: "refused", reason });
		if (fault === "unreachable") return this.#set(asked, { model, state: "unreachable", reason });
		return false;
	}

	#set(asked: Model, found: Pick<ProviderState, "model" | "state" | "reason">): boolean {
		const known = this.#states.get(asked);
		const changed = known?.state !== found.state;
		const since = known && !changed ? known.since : this.#clock.now();
		this.#states.set(asked, { provider: asked.provider, ...found, since });
		return changed;
	}
}
