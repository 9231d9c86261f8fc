import { setImmediate as tick } from "node:timers/promises";
import type { Store } from "@parley/base";
import type { Tables } from "@parley/core";

type Commit = Store<Tables>["commit"];
type Read = Store<Tables>["read"];

/** Number of ticks without database access after which the process counts as quiet. */
const quietTicks = 8;

/**
 * The store of one process. After the death of the process, the store starts no command, and calls never settle.
 * The database remains for the next process.
 */
export class MortalStore implements Store<Tables> {
	readonly engine: Store<Tables>["engine"];
	readonly #store: Store<Tables>;
	readonly #death = Promise.withResolvers<void>();
	#dead = false;
	#inFlight = 0;
	#commitsLeft = Number.POSITIVE_INFINITY;

	constructor(store: Store<Tables>) {
		this.#store = store;
		this.engine = store.engine;
	}

	get death(): Promise<void> {
		return this.#death.promise;
	}

	commit: Commit = (command) =>
		this.#answer(async () => {
			const result = await this.#store.commit(async (tx) => {
				// A dead process must not execute commands that are still queued.
				if (this.#dead) throw new Error("dead");
				return command(tx);
			});
			this.#commitsLeft -= 1;
			if (this.#commitsLeft <= 0) this.die();
			return result;
		});

	read: Read = (query) => this.#answer(() => this.#store.read(query));

	health(): ReturnType<Store<Tables>["health"]> {
		return this.#store.health();
	}

	/** Marks the process as dead. Leaves the database open, because all processes share it. */
	async close(): Promise<void> {
		this.die();
	}

	/** Dies immediately, or after this number of further commits. The caller receives no result of the last commit. */
	die(afterCommits = 0): void {
		this.#commitsLeft = afterCommits;
		if (afterCommits > 0) return;
		this.#dead = true;
		this.#death.resolve();
	}

	/** Resolves after `quietTicks` ticks without database access. */
	async quiet(): Promise<void> {
		for (let still = 0; still < quietTicks; still++) {
			await tick();
			if (this.#inFlight > 0) still = 0;
		}
	}

	async #answer<T>(work: () => Promise<T>): Promise<T> {
		const never = new Promise<never>(() => undefined);
		if (this.#dead) return never;
		this.#inFlight += 1;
		const [outcome] = await Promise.allSettled([work()]);
		this.#inFlight -= 1;
		if (this.#dead) return never;
		if (outcome.status === "rejected") throw outcome.reason;
		return outcome.value;
	}
}
