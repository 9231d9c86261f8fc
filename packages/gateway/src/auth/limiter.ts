import type { Clock } from "@parley/base";

const WINDOW_MS = 60_000;
const FAILURES_PER_WINDOW = 10;
const LOCK_MS = 300_000;
const MAX_KEYS = 10_000;

interface Failures {
	count: number;
	/** Monotonic time in milliseconds at which the count returns to 0. */
	until: number;
}

/**
 * Limits wrong credentials to ten per minute for each key. The eleventh within a minute locks the key for five
 * minutes. Only wrong credentials are limited: a correct credential is accepted even while the key is locked.
 */
export class FailedAuthLimiter {
	readonly #clock: Clock;
	/** Failures by key. The key with the most recent failure is the last one. */
	readonly #failures = new Map<string, Failures>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Counts one failure. Returns the milliseconds until the key is unlocked, or 0 if the key is not locked. */
	fail(key: string): number {
		const now = this.#clock.monotonic();
		const failures = this.#current(key, now);
		failures.count++;
		if (failures.count === FAILURES_PER_WINDOW + 1) failures.until = now + LOCK_MS;
		this.#remember(key, failures);
		return failures.count > FAILURES_PER_WINDOW ? failures.until - now : 0;
	}

	#current(key: string, now: number): Failures {
		const known = this.#failures.get(key);
		return known !== undefined && now < known.until ? known : { count: 0, until: now + WINDOW_MS };
	}

	/**
	 * Stores the failures of a key as the newest entry. Deletes the oldest entry if there are more than `MAX_KEYS`,
	 * because unauthenticated clients can fill the table.
	 */
	#remember(key: string, failures: Failures): void {
		this.#failures.delete(key);
		this.#failures.set(key, failures);
		const [oldest] = this.#failures.keys();
		if (this.#failures.size > MAX_KEYS && oldest !== undefined) this.#failures.delete(oldest);
	}
}
