import { type Clock, ParleyError, type Store, type StoreHealth, type Timer } from "@parley/base";
import type { Kysely } from "kysely";

/** So many commits within so long are a crowd: what a person does alone is never kept waiting. */
const crowd = 8;
const withinMs = 100;
/** Of the second and more that a platform and a model take, nobody notices it. */
const waitMs = 20;

/** A commit that waits for others. */
interface Waiting<DB> {
	/** Runs the command; returns what tells its caller the result once that is durable. */
	execute(tx: Kysely<DB>): Promise<() => void>;
	reject(reason: unknown): void;
	/** Commits it by itself. */
	alone(): void;
}

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
	#waiting: Waiting<DB>[] = [];
	#timer: Timer | undefined;
	/** The commits that share a transaction; what comes meanwhile may not overtake them. */
	#together: Promise<void> | undefined;
	#isClosed = false;

	constructor(store: Store<DB>, clock: Clock) {
		this.engine = store.engine;
		this.#store = store;
		this.#clock = clock;
	}

	commit<T>(command: (tx: Kysely<DB>) => Promise<T>): Promise<T> {
		if (this.#isClosed)
			return Promise.reject(new ParleyError("the store is closed", { code: "unavailable" }));
		const isCrowded = this.#isCrowded();
		// What waits goes first.
		const isFree = this.#timer === undefined && this.#together === undefined;
		if (isFree && !isCrowded) return this.#store.commit(command);
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

	#isCrowded(): boolean {
		const now = this.#clock.monotonic();
		this.#recent.push(now);
		if (this.#recent.length <= crowd) return false;
		const span = now - (this.#recent.shift() ?? now);
		// A clock that stands still would never end the waiting.
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
	 * As one command, so that none of them needs a savepoint of its own: that would copy each page before it is changed.
	 * Where one of them throws, which is rare, nothing remains and each is run again by itself.
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
			// Before anybody hears of it: what they commit next is not to wait for what is over.
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
