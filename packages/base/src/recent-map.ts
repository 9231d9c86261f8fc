import type { Clock } from "./clock.ts";

interface RecentMapOptions {
	readonly clock: Pick<Clock, "monotonic">;
	/** What was set before so many others is forgotten. */
	readonly most: number;
	/** What was set so long ago is forgotten; nothing is unless told. */
	readonly keptMs?: number;
}

/** A map that remembers what was set last, and never grows beyond that. */
export class RecentMap<Key, Value> {
	readonly #clock: Pick<Clock, "monotonic">;
	readonly #most: number;
	readonly #keptMs: number;
	/** In the order in which they were set. */
	readonly #entries = new Map<Key, { readonly value: Value; readonly at: number }>();

	constructor({ clock, most, keptMs = Number.POSITIVE_INFINITY }: RecentMapOptions) {
		this.#clock = clock;
		this.#most = most;
		this.#keptMs = keptMs;
	}

	/** How many are held. */
	get size(): number {
		return this.#entries.size;
	}

	has(key: Key): boolean {
		const entry = this.#entries.get(key);
		return entry !== undefined && this.#clock.monotonic() - entry.at < this.#keptMs;
	}

	get(key: Key): Value | undefined {
		return this.has(key) ? this.#entries.get(key)?.value : undefined;
	}

	set(key: Key, value: Value): void {
		const now = this.#clock.monotonic();
		this.#entries.delete(key);
		this.#entries.set(key, { value, at: now });
		for (const [oldest, { at }] of this.#entries) {
			if (this.#entries.size <= this.#most && now - at < this.#keptMs) break;
			this.#entries.delete(oldest);
		}
	}

	delete(key: Key): void {
		this.#entries.delete(key);
	}
}
