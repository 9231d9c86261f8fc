import type { Clock } from "@parley/base";
import type { Model } from "../../vocabulary/model.ts";
import type { ModelError } from "../../vocabulary/model-error.ts";

interface Finding {
	readonly model: string;
	/** `refused`: the provider refuses the key. */
	readonly state: "ok" | "refused" | "unreachable";
	/** Reason for people; "" if the call succeeded. */
	readonly reason: string;
}

export interface ProviderState extends Finding {
	readonly provider: string;
	/** Time at which the state began, in milliseconds since the epoch. */
	readonly since: number;
}

/** Records the state of each provider server after its model calls. */
export class ProviderHealth {
	readonly #clock: Clock;
	/** Key: the model object, which represents one server. */
	readonly #states = new Map<Model, ProviderState>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Returns the known states of providers, in the order in which the providers became known. */
	list(): readonly ProviderState[] {
		return [...this.#states.values()];
	}

	answered(server: Model, model: string): void {
		this.#set(server, { model, state: "ok", reason: "" });
	}

	/**
	 * Records a refused key or an unreachable server. Other faults change nothing. Returns whether the state changed. The
	 * message of the error must not contain a secret.
	 */
	failed(server: Model, model: string, { fault, message: reason }: ModelError): boolean {
		if (fault === "unauthenticated") return this.#set(server, { model, state: "refused", reason });
		if (fault === "unreachable") return this.#set(server, { model, state: "unreachable", reason });
		return false;
	}

	#set(server: Model, finding: Finding): boolean {
		const known = this.#states.get(server);
		const changed = known?.state !== finding.state;
		const since = known && !changed ? known.since : this.#clock.now();
		this.#states.set(server, { provider: server.provider, ...finding, since });
		return changed;
	}
}
