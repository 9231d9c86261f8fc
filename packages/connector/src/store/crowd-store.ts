import type { Clock, Store, StoreHealth, Timer } from "@parley/base";
import type { Kysely } from "kysely";

/** So many commits within so long are a crowd: what a person does alone is never kept waiting. */
const crowd = 8;
const withinMs = 100;
/** Of the second and more that a platform and a model take, nobody notices it. */
const waitMs = 4;

/**
 * A store that, while many commits come, lets each wait a moment for others to share its transaction: of what a commit
 * costs, writing to the disk is the most. In all else it is the store that it is made of.
 */
export class CrowdStore<DB> implements Store<DB> {
	readonly engine: Store<DB>["engine"];
	readonly #store: Store<DB>;
	readonly #clock: Clock;
	/** When the newest commits came, on the monotonic clock. */
	readonly #recent: number[] = [];
	#waiting: (() => void)[] = [];
	#timer: Timer | undefined;
	#isClosed = false;

	constructor(store: Store<DB>, clock: Clock) {
		this.engine = store.engine;
		this.#store = store;
		this.#clock = clock;
	}

	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T> {
		const isCrowded = this.#isCrowded() && !this.#isClosed;
		// What waits goes first.
		if (!isCrowded && this.#timer === undefined) return this.#store.commit(command);
		this.#timer ??= this.#clock.after(waitMs, () => this.#flush());
		return new Promise((resolve, reject) => {
			this.#waiting.push(() => this.#store.commit(command).then(resolve, reject));
		});
	}

	read<T>(query: (db: Kysely<DB>) => Promise<T>): Promise<T> {
		return this.#store.read(query);
	}

	health(): StoreHealth {
		return this.#store.health();
	}

	close(): Promise<void> {
		this.#isClosed = true;
		this.#flush();
		return this.#store.close();
	}

	#isCrowded(): boolean {
		const now = this.#clock.monotonic();
		this.#recent.push(now);
		if (this.#recent.length <= crowd) return false;
		const span = now - (this.#recent.shift() ?? now);
		// A clock that stands still would never end the waiting.
		return span > 0 && span < withinMs;
	}

	#flush(): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const commit of waiting) commit();
	}
}
