import type { Clock, Timer } from "@parley/base";
import { exchangeTexts } from "./texts.ts";

export interface Timeouts {
	/** From the request to the first byte of the answer. */
	readonly firstByteMs: number;
	/** Between two bytes of it. */
	readonly idleMs: number;
	/** From the request to the end of the answer, however busy the provider is. */
	readonly totalMs: number;
}

/**
 * Ends an exchange that takes too long: `expire` is called once with the exceeded limit. Only time spent waiting for bytes
 * is treated as idle, so a slow consumer is not treated as a slow provider.
 */
export class Watchdog {
	readonly #clock: Clock;
	readonly #timeouts: Timeouts;
	readonly #expire: (what: string) => void;
	#end: number;
	/** Start of the wait for bytes. */
	#since: number | undefined;
	#answered = false;
	#timer: Timer | undefined;

	constructor(clock: Clock, timeouts: Timeouts, expire: (what: string) => void) {
		this.#clock = clock;
		this.#timeouts = timeouts;
		this.#expire = expire;
		this.#since = clock.monotonic();
		this.#end = this.#since + timeouts.totalMs;
		this.#arm();
	}

	/** Starts to wait for bytes. Cheap enough for each chunk. */
	wait(): void {
		this.#since ??= this.#clock.monotonic();
	}

	/** Ends the wait for bytes. */
	arrive(): void {
		this.#since = undefined;
		if (this.#answered) return;
		this.#answered = true;
		// The idle time may be shorter than the remaining time for the first byte.
		this.#arm();
	}

	/** Limits the remaining time. */
	limitRest(ms: number): void {
		this.#end = Math.min(this.#end, this.#clock.monotonic() + ms);
		this.#arm();
	}

	/** Cancels the timer. */
	stop(): void {
		this.#timer?.cancel();
	}

	get #patience(): number {
		return this.#answered ? this.#timeouts.idleMs : this.#timeouts.firstByteMs;
	}

	/**
	 * One timer at a time. When it fires, it checks whether bytes arrived, because a new timer for each chunk would cost
	 * more.
	 */
	#arm(): void {
		this.#timer?.cancel();
		const now = this.#clock.monotonic();
		const due = Math.min(this.#end, (this.#since ?? now) + this.#patience);
		this.#timer = this.#clock.after(Math.max(0, due - now), () => this.#look());
	}

	#look(): void {
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
