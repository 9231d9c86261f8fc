import type { Clock } from "../clock.ts";
import { StoreError, type StoreHealth } from "./store.ts";

export type StorageFailure = Exclude<StoreHealth["state"], "ok">;

/** Callback after the health of a store has changed. `cause` is the error, if commits began to fail. */
export type HealthWatch = (health: StoreHealth, cause?: unknown) => void;

const messages: Readonly<Record<StorageFailure, string>> = {
	failing: "the store could not commit: check the disk of the gateway, then try again",
	full: "the store could not commit: the disk is full; free some space, nothing acknowledged was lost",
};

/** Health of a store. Determines from the results of transactions whether the store can commit. */
export class StorageHealth {
	readonly #clock: Clock;
	readonly #watch: HealthWatch | undefined;
	#health: StoreHealth = { state: "ok" };

	constructor(clock: Clock, watch?: HealthWatch) {
		this.#clock = clock;
		this.#watch = watch;
	}

	get current(): StoreHealth {
		return this.#health;
	}

	/** Records that a transaction was committed. */
	worked(): void {
		if (this.#health.state === "ok") return;
		this.#health = { state: "ok" };
		this.#watch?.(this.#health);
	}

	/** Records a lost transaction, and returns the error with which the commands in the transaction are rejected. */
	failed(state: StorageFailure, cause: unknown): StoreError {
		if (this.#health.state !== state) {
			this.#health = { state, since: this.#health.since ?? this.#clock.now() };
			this.#watch?.(this.#health, cause);
		}
		return new StoreError(messages[state], cause);
	}
}
