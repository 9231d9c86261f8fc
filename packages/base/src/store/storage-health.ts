import type { Clock } from "../clock.ts";
import { StoreError, type StoreHealth } from "./store.ts";

/** What keeps a store from committing. */
export type StorageFailure = Exclude<StoreHealth["state"], "ok">;

/** Called when the state of a store has changed, with the error that told of it. */
export type HealthWatch = (health: StoreHealth, cause?: unknown) => void;

const messages: Readonly<Record<StorageFailure, string>> = {
	failing: "the store could not commit",
	full: "the store could not commit: the disk is full; free some space, nothing acknowledged was lost",
};

/** What the last transactions told of the disk. */
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

	/** A transaction that wrote something is on the disk. */
	worked(): void {
		if (this.#health.state === "ok") return;
		this.#health = { state: "ok" };
		this.#watch?.(this.#health);
	}

	/** A transaction was lost; returns what its commands are told. */
	failed(state: StorageFailure, cause: unknown): StoreError {
		if (this.#health.state !== state) {
			this.#health = { state, since: this.#health.since ?? this.#clock.now() };
			this.#watch?.(this.#health, cause);
		}
		return new StoreError(messages[state], cause);
	}
}
