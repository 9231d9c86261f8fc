import { type Clock, ParleyError, type Store, type StoreHealth, type Timer } from "@parley/base";
import type { Kysely } from "kysely";

/** Rate above which commits are delayed: more than `busyCommits` commits in `withinMs` milliseconds. */
const busyCommits = 8;
const withinMs = 100;
/** Delay of commits in milliseconds. People do not notice it, because a platform and a model take a second or more. */
const waitMs = 20;

interface Waiting<DB> {
	/** Runs the command. The returned function reports the result to the caller, after the commit. */
	execute(tx: Kysely<DB>): Promise<() => void>;
	reject(reason: unknown): void;
	/** Commits the command in its own transaction. */
	alone(): void;
}

/**
 * Store that delays commits briefly under load, so that they share a transaction. Writing to the disk is the
 * main cost of a commit. Without load, commits go directly to the underlying store.
 */
export class BatchingStore<DB> implements Store<DB> {
	readonly engine: Store<DB>["engine"];
	readonly #store: Store<DB>;
	readonly #clock: Clock;
	/** Monotonic times of the newest commits. */
	readonly #recent: number[] = [];
	#waiting: Waiting<DB>[] = [];
	#timer: Timer | undefined;
	/** Running commits that share a transaction. Later commits must not overtake them. */
	#together: Promise<void> | undefined;
	#isClosed = false;

	constructor(store: Store<DB>, clock: Clock) {
		this.engine = store.engine;
		this.#store = store;
		this.#clock = clock;
	}

	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T> {
		if (this.#isClosed)
			return Promise.reject(
				new ParleyError("cannot write to the database: it is closed", { code: "unavailable" }),
			);
		const isBusy = this.#isBusy();
		// This commit must not overtake waiting or running commits.
		const isFree = this.#timer === undefined && this.#together === undefined;
		if (isFree && !isBusy) return this.#store.commit(command);
		this.#timer ??= this.#clock.after(waitMs, () => this.#flush());
		return new Promise((resolve, reject) => {
			this.#waiting.push({
				async execute(tx) {
					const value = await command(tx);
					return () => resolve(value);
				},
				reject,
				alone: () => void this.#store.commit(command).then(resolve, reject),
			});
		});
	}

	read<T>(query: (db: Kysely<DB>) => Promise<T>): Promise<T> {
		return this.#store.read(query);
	}

	health(): StoreHealth {
		return this.#store.health();
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		this.#timer?.cancel();
		await this.#together;
		this.#flush();
		await this.#together;
		await this.#store.close();
	}

	#isBusy(): boolean {
		const now = this.#clock.monotonic();
		this.#recent.push(now);
		if (this.#recent.length <= busyCommits) return false;
		const span = now - (this.#recent.shift() ?? now);
		// With a stopped clock, as in tests, the span is 0. A delay on such a clock would never end.
		return span > 0 && span < withinMs;
	}

	#flush(): void {
		this.#timer = undefined;
		if (this.#together !== undefined) {
			this.#timer = this.#clock.after(waitMs, () => this.#flush());
			return;
		}
		const waiting = this.#waiting;
		this.#waiting = [];
		const [only, ...others] = waiting;
		if (others.length === 0) {
			only?.alone();
			return;
		}
		this.#together = this.#commitTogether(waiting);
	}

	/**
	 * Runs all waiting commands without savepoints, which would copy each page before a change. If a command
	 * throws, all commands are undone, and each runs again in its own transaction. If the commit fails, all
	 * commands are rejected.
	 */
	async #commitTogether(waiting: readonly Waiting<DB>[]): Promise<void> {
		let isRefused = false;
		try {
			const settles = await this.#store.commit(async (tx) => {
				const done: (() => void)[] = [];
				isRefused = true;
				for (const { execute } of waiting) done.push(await execute(tx));
				isRefused = false;
				return done;
			});
			// The field is cleared before the callers continue, so that their next commits do not wait.
			this.#together = undefined;
			for (const settle of settles) settle();
		} catch (error) {
			this.#together = undefined;
			for (const { alone, reject } of waiting) {
				if (isRefused) alone();
				else reject(error);
			}
		}
	}
}
