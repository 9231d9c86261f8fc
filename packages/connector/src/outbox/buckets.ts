import type { Clock } from "@parley/base";
import type { RateLimit } from "../platform/surface.ts";

/** A platform that says nothing sensible is asked again in a second; one that bans us, every hour. */
const unclearMs = 1000;
const mostMs = 3_600_000;

/** Which of the platform's buckets are empty, and until when. Lost with the process: the platform says it again. */
export class Buckets {
	readonly #clock: Clock;
	readonly #emptyUntil = new Map<string, number>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	close({ scope, retryAfterMs }: RateLimit): void {
		const ms = retryAfterMs > 0 ? Math.min(retryAfterMs, mostMs) : unclearMs;
		const until = this.#clock.monotonic() + ms;
		this.#emptyUntil.set(scope, Math.max(until, this.#emptyUntil.get(scope) ?? 0));
	}

	/** The monotonic time from which a request may be made that counts towards these; 0 where it may be made now. */
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
