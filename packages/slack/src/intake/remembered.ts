import { type Clock, delay, ParleyError } from "@parley/base";
import { LRUCache } from "lru-cache";

/** Slack waits three seconds for an acknowledgement: https://docs.slack.dev/apis/events-api#responding */
const mostMs = 1000;

export interface RememberedParts<Value> {
	/** What it is, for the one who reads that Slack did not say it. */
	readonly what: string;
	readonly ask: (id: string) => Promise<Value>;
	readonly clock: Clock;
	/** How long it counts. */
	readonly keptMs: number | ((value: Value) => number);
	/** What was the longest unused goes first. */
	readonly most: number;
}

/** What Slack was asked for, for a while, in memory. */
export class Remembered<Value> {
	readonly #parts: RememberedParts<Value>;
	/** Expires by our clock: the cache's own would read that of the machine. */
	readonly #known: LRUCache<string, { readonly value: Value; readonly until: number }>;
	/** Questions without an answer yet: no cache, because none may be evicted. */
	readonly #asked = new Map<string, Promise<Value>>();

	constructor(parts: RememberedParts<Value>) {
		this.#parts = parts;
		this.#known = new LRUCache({ max: parts.most });
	}

	get(id: string): Value | undefined {
		const known = this.#known.get(id);
		if (known === undefined || this.#parts.clock.monotonic() >= known.until) return undefined;
		return known.value;
	}

	/** Slack has told of it by itself: an older question has nothing to say any more. */
	note(id: string, value: Value): void {
		const { clock, keptMs } = this.#parts;
		this.#asked.delete(id);
		const ms = typeof keptMs === "number" ? keptMs : keptMs(value);
		this.#known.set(id, { value, until: clock.monotonic() + ms });
	}

	/** It has changed: Slack is asked the next time. */
	forget(id: string): void {
		this.#asked.delete(id);
		this.#known.delete(id);
	}

	/**
	 * What is known, else what Slack answers within a second. Rejects with `unavailable` otherwise; what comes later is
	 * remembered for whoever asks again.
	 */
	async find(id: string): Promise<Value> {
		const known = this.get(id);
		if (known !== undefined) return known;
		const asked = this.#asked.get(id) ?? this.#ask(id);
		const { clock, what } = this.#parts;
		const over = new AbortController();
		const late = delay(clock, mostMs, over.signal).then(() => {
			throw new ParleyError(`Slack did not say within a second ${what}`, { code: "unavailable" });
		});
		try {
			return await Promise.race([asked, late]);
		} finally {
			over.abort();
		}
	}

	#ask(id: string): Promise<Value> {
		const { ask } = this.#parts;
		const asked = ask(id).then(
			(value) => {
				// What has changed while it was asked for is not taken.
				if (this.#asked.get(id) === asked) this.note(id, value);
				return this.get(id) ?? value;
			},
			(reason: unknown) => {
				if (this.#asked.get(id) === asked) this.#asked.delete(id);
				throw reason;
			},
		);
		this.#asked.set(id, asked);
		return asked;
	}
}
