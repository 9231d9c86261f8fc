import type { Clock } from "@parley/base";

const periodMs = 60_000;
/** Whoever makes up names gets no more memory by it; the oldest are forgotten first. */
const mostNames = 10_000;

/** Counts what somebody tries within a minute. */
export class Attempts {
	readonly #clock: Clock;
	readonly #most: number;
	/** In the order of their beginning. */
	readonly #begun = new Map<string, { readonly at: number; times: number }>();

	constructor(clock: Clock, most: number) {
		this.#clock = clock;
		this.#most = most;
	}

	/** Counts one more; false where that is one too many for this minute. */
	take(name: string): boolean {
		this.#forget();
		const known = this.#begun.get(name);
		if (!known) this.#begun.set(name, { at: this.#clock.monotonic(), times: 1 });
		else if (known.times >= this.#most) return false;
		else known.times += 1;
		return true;
	}

	#forget(): void {
		const since = this.#clock.monotonic() - periodMs;
		for (const [name, { at }] of this.#begun) {
			if (at > since && this.#begun.size < mostNames) return;
			this.#begun.delete(name);
		}
	}
}
