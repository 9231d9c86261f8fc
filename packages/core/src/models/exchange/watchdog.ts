import type { Clock, Timer } from "@parley/base";
import { exchangeTexts } from "./texts.ts";

export interface Timeouts {
	/** Maximum milliseconds from the request to the first byte of the answer's body. */
	readonly firstByteMs: number;
	/** Maximum milliseconds of a wait for further bytes of the answer's body. */
	readonly idleMs: number;
	/** Maximum milliseconds from the request to the end of the answer, even if bytes still arrive. */
	readonly totalMs: number;
}

/**
 * Calls `expire` with a text about the limit when an exchange exceeds a limit. Only waiting for bytes is idle time, so
 * a slow consumer causes no idle timeout.
 */
export class Watchdog {
	readonly #clock: Clock;
	readonly #timeouts: Timeouts;
	readonly #expire: (subject: string) => void;
	#end: number;
	/** Start of the current wait for bytes. Undefined if the exchange is not waiting for bytes. */
	#since: number | undefined;
	#answered = false;
	#timer: Timer | undefined;

	constructor(clock: Clock, timeouts: Timeouts, expire: (subject: string) => void) {
		this.#clock = clock;
		this.#timeouts = timeouts;
		this.#expire = expire;
		this.#since = clock.monotonic();
		this.#end = this.#since + timeouts.totalMs;
		this.#arm();
	}

	/** Starts a wait for bytes, unless one is in progress. Fast enough to call for each chunk. */
	wait(): void {
		this.#since ??= this.#clock.monotonic();
	}

	/** Ends the wait for bytes. */
	arrive(): void {
		this.#since = undefined;
		if (this.#answered) return;
		this.#answered = true;
		// The idle limit may end earlier than the limit for the first byte.
		this.#arm();
	}

	/** Limits the remaining time of the exchange to `ms` milliseconds. Never extends the remaining time. */
	limitRest(ms: number): void {
		this.#end = Math.min(this.#end, this.#clock.monotonic() + ms);
		this.#arm();
	}

	/** Cancels the timer, so that no limit applies. */
	stop(): void {
		this.#timer?.cancel();
	}

	get #patience(): number {
		return this.#answered ? this.#timeouts.idleMs : this.#timeouts.firstByteMs;
	}

	#arm(): void {
		this.#timer?.cancel();
		const now = this.#clock.monotonic();
		const due = Math.min(this.#end, (this.#since ?? now) + this.#patience);
		// Limits are checked only when the timer fires, because a new timer for each chunk would cost more.
		this.#timer = this.#clock.after(Math.max(0, due - now), () => this.#check());
	}

	#check(): void {
		const now = this.#clock.monotonic();
		if (now >= this.#end) this.#expire(exchangeTexts.noEnd(seconds(this.#timeouts.totalMs)));
		else if (this.#since === undefined || now - this.#since < this.#patience) this.#arm();
		else if (this.#answered) this.#expire(exchangeTexts.noMore(seconds(this.#patience)));
		else this.#expire(exchangeTexts.none(seconds(this.#patience)));
	}
}

function seconds(ms: number): string {
	return `${ms / 1000} s`;
}
