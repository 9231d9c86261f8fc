import type { Clock } from "@parley/base";
import type { RateLimit } from "../platform/surface.ts";

/** Wait in milliseconds after a rate limit for which the platform reports no positive wait. */
const unclearMs = 1000;
/** Maximum wait in milliseconds after a rate limit, for example after a ban. */
const maxMs = 3_600_000;

/**
 * Exhausted rate limits of the platform. Kept only in memory: after a restart, the platform reports the limits again.
 */
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

	/**
	 * Returns the monotonic time from which a request in the rate-limit scopes `scopes` is allowed, or 0 if the
	 * request is allowed now.
	 */
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
