import { type Cache, type Clock, createCache, delay, ParleyError } from "@parley/base";

export interface LookupParts<Value> {
	/** Maximum number of values in memory. If there are more, the least recently used value is evicted. */
	readonly max: number;
	/** Time in milliseconds until a value expires. Absent: no value expires. */
	readonly retentionMs?: number | ((value: Value) => number);
	/** Maximum time that `find` waits before it rejects. A value that arrives later is still stored. */
	readonly patience?: {
		readonly ms: number;
		/** Message of the error, for example `Slack did not answer within a second`. */
		readonly message: string;
	};
	readonly clock: Clock;
}

/** Cache for values of a service by key. Concurrent calls of `find` for a key share one request. */
export class Lookup<Value> {
	readonly #parts: LookupParts<Value>;
	/** Values by key. Each value is wrapped, because a cache cannot store undefined. */
	readonly #known: Cache<string, { readonly value: Value; readonly until: number }>;
	readonly #pending = new Map<string, Promise<Value>>();

	constructor(parts: LookupParts<Value>) {
		this.#parts = parts;
		this.#known = createCache({ max: parts.max, clock: parts.clock });
	}

	/** Returns the value in memory; undefined if there is no value or if it has expired. */
	get(key: string): Value | undefined {
		return this.#current(key)?.value;
	}

	/**
	 * Stores a value that arrived without a request. If a request for the key is running, its answer is then not
	 * stored.
	 */
	note(key: string, value: Value): void {
		const { clock, retentionMs = Number.POSITIVE_INFINITY } = this.#parts;
		this.#pending.delete(key);
		const ms = typeof retentionMs === "number" ? retentionMs : retentionMs(value);
		this.#known.set(key, { value, until: clock.monotonic() + ms });
	}

	/** Removes an outdated value. The answer of a running request is then not stored. */
	forget(key: string): void {
		this.#pending.delete(key);
		this.#known.delete(key);
	}

	/**
	 * Returns the value in memory, or otherwise the answer of `ask`. Rejects as `ask` does, or with `unavailable` after
	 * `patience`.
	 */
	async find(key: string, ask: () => Promise<Value>): Promise<Value> {
		const known = this.#current(key);
		if (known !== undefined) return known.value;
		const pending = this.#pending.get(key) ?? this.#ask(key, ask);
		const { clock, patience } = this.#parts;
		if (patience === undefined) return pending;
		const over = new AbortController();
		const late = delay(clock, patience.ms, over.signal).then(() => {
			throw new ParleyError(patience.message, { code: "unavailable" });
		});
		try {
			return await Promise.race([pending, late]);
		} finally {
			over.abort();
		}
	}

	#current(key: string): { readonly value: Value } | undefined {
		const known = this.#known.get(key);
		return known !== undefined && this.#parts.clock.monotonic() < known.until ? known : undefined;
	}

	#ask(key: string, ask: () => Promise<Value>): Promise<Value> {
		const pending = ask().then(
			(value) => {
				// A value that was noted during the request is newer than the answer.
				if (this.#pending.get(key) === pending) this.note(key, value);
				const known = this.#current(key);
				return known === undefined ? value : known.value;
			},
			(reason: unknown) => {
				if (this.#pending.get(key) === pending) this.#pending.delete(key);
				throw reason;
			},
		);
		this.#pending.set(key, pending);
		return pending;
	}
}
