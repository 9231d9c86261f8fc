import type { Clock } from "@parley/base";
import type { RateLimit } from "../platform/surface.ts";

/**
 * Waits in milliseconds after a rate limit: the wait if the platform gives no valid time, and the maximum wait, for
 * example after a ban.
 */
const unclearMs = 1000;
const maxMs = 3_600_000;

/** Exhausted rate limits of the platform. They are only in memory, because the platform reports them again. */
export class Buckets {
	readonly #clock: Clock;
	readonly #emptyUntil = new Map<string, number>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	close({ scope, retryAfterMs }: RateLimit): void {
		const ms = retryAfterMs > 0 ? Math.min(retryAfterMs, maxMs) : unclearMs;
		const until = this.#clock.monotonic() + ms;
		this.#emptyUntil.set(scope, Math.max(until, this.#emptyUntil.get(scope) ?? 0));
	}

	/** Monotonic time from which a request in these scopes is allowed; 0 if it is allowed now. */
	openAt(scopes: readonly string[]): number {
		const now = this.#clock.monotonic();
		let at = 0;
		for (const scope of scopes) {
			const until = this.#emptyUntil.get(scope);
			if (until === undefined) continue;
			if (until <= now) this.#emptyUntil.delete(scope);
			else at = Math.max(at, until);
		}
		return at;
	}
}
