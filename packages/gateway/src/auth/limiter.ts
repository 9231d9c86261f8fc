import type { Clock } from "@parley/base";

const WINDOW_MS = 60_000;
const FAILURES_PER_WINDOW = 10;
const LOCK_MS = 300_000;
const MAX_KEYS = 10_000;

interface Failures {
	count: number;
	/** Time at which the count restarts. */
	until: number;
}

/**
 * Counts wrong credentials: ten a minute for each key, then five minutes in which the caller should answer "too many". Used
 * only after a
 * credential was wrong, so that a right one cannot be locked out.
 */
export class FailedAuthLimiter {
	readonly #clock: Clock;
	readonly #failures = new Map<string, Failures>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Counts one failure. Returns how many milliseconds the key is locked for, 0 when it is not. */
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

	/** The key that has failed least recently makes room: a table that strangers fill must not grow. */
	#remember(key: string, failures: Failures): void {
		this.#failures.delete(key);
		this.#failures.set(key, failures);
		const [oldest] = this.#failures.keys();
		if (this.#failures.size > MAX_KEYS && oldest !== undefined) this.#failures.delete(oldest);
	}
}
