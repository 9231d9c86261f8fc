import { setImmediate as tick } from "node:timers/promises";
import type { Store } from "@parley/base";
import type { Tables } from "@parley/core";

type Commit = Store<Tables>["commit"];
type Read = Store<Tables>["read"];

/** Ticks without a word to the database after which nothing is on its way to it. */
const quietTicks = 8;

/**
 * A store as one life of a process sees it. When that dies nothing more is written, and whoever waits for an answer
 * waits for ever: what was durable before is what the next life finds.
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

	/** Resolves when it has died. */
	get death(): Promise<void> {
		return this.#death.promise;
	}

	commit: Commit = (command) =>
		this.#answer(async () => {
			const result = await this.#store.commit(async (tx) => {
				// What stands in the queue of a dead process is never carried out.
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

	/** The database lives on: it belongs to all lives. */
	async close(): Promise<void> {
		this.die();
	}

	/** Dies at once, or when so many more commands are durable, of which nobody is told any more. */
	die(afterCommits = 0): void {
		this.#commitsLeft = afterCommits;
		if (afterCommits > 0) return;
		this.#dead = true;
		this.#death.resolve();
	}

	/** Resolves when nothing is on its way to the database, and nothing was for a while. */
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
