import { type Cache, type Clock, createCache, delay, ParleyError } from "@parley/base";

/**
 * Maximum milliseconds to wait for a value. Slack waits three seconds for an acknowledgement:
 * https://docs.slack.dev/apis/events-api#responding
 */
const maxMs = 1000;

export interface RememberedParts<Value> {
	/** Description of the value for the error after a timeout. */
	readonly what: string;
	readonly ask: (id: string) => Promise<Value>;
	readonly clock: Clock;
	/** Milliseconds until a value expires. */
	readonly retentionMs: number | ((value: Value) => number);
	/** Maximum values. The least recently used value is evicted first. */
	readonly maximum: number;
}

/** Responses of Slack, cached in memory. */
export class Remembered<Value> {
	readonly #parts: RememberedParts<Value>;
	/** Values with their expiry times, which are stored because `retentionMs` may depend on the value. */
	readonly #known: Cache<string, { readonly value: Value; readonly until: number }>;
	/** Pending requests. This is not a cache, because no request may be evicted. */
	readonly #pending = new Map<string, Promise<Value>>();

	constructor(parts: RememberedParts<Value>) {
		this.#parts = parts;
		this.#known = createCache({ max: parts.maximum, clock: parts.clock });
	}

	get(id: string): Value | undefined {
		const known = this.#known.get(id);
		if (known === undefined || this.#parts.clock.monotonic() >= known.until) return undefined;
		return known.value;
	}

	/** Stores a value from an event. The response of a pending request is then outdated. */
	note(id: string, value: Value): void {
		const { clock, retentionMs } = this.#parts;
		this.#pending.delete(id);
		const ms = typeof retentionMs === "number" ? retentionMs : retentionMs(value);
		this.#known.set(id, { value, until: clock.monotonic() + ms });
	}

	/** Removes a changed value. The next request for the value goes to Slack. */
	forget(id: string): void {
		this.#pending.delete(id);
		this.#known.delete(id);
	}

	/**
	 * Returns the cached value, or Slack's response. Rejects with `unavailable` if the response takes longer than a
	 * second, but caches a later response. Also rejects if the request fails.
	 */
	async find(id: string): Promise<Value> {
		const known = this.get(id);
		if (known !== undefined) return known;
		const pending = this.#pending.get(id) ?? this.#ask(id);
		const { clock, what } = this.#parts;
		const over = new AbortController();
		const late = delay(clock, maxMs, over.signal).then(() => {
			throw new ParleyError(`Slack did not return ${what} ${id} within a second`, { code: "unavailable" });
		});
		try {
			return await Promise.race([pending, late]);
		} finally {
			over.abort();
		}
	}

	#ask(id: string): Promise<Value> {
		const { ask } = this.#parts;
		const pending = ask(id).then(
			(value) => {
				// After a change during the request, the response is outdated.
				if (this.#pending.get(id) === pending) this.note(id, value);
				return this.get(id) ?? value;
			},
			(reason: unknown) => {
				if (this.#pending.get(id) === pending) this.#pending.delete(id);
				throw reason;
			},
		);
		this.#pending.set(id, pending);
		return pending;
	}
}
