import type { Clock, Timer } from "@parley/base";

/** How long an answer may take, in milliseconds. */
export interface Timeouts {
	/** From the request to the first byte of the answer. */
	readonly firstByteMs: number;
	/** Between two bytes of it. */
	readonly idleMs: number;
	/** From the request to the end of the answer, however busy the provider is. */
	readonly totalMs: number;
}

/**
 * Ends an exchange that takes too long: `expire` is called once, with what was not kept to. Only time that is spent
 * waiting for bytes counts as idle, so that a slow consumer is not taken for a slow provider.
 */
export class Watchdog {
	readonly #clock: Clock;
	readonly #timeouts: Timeouts;
	readonly #expire: (what: string) => void;
	#end: number;
	/** Since when bytes are waited for. */
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

	/** Bytes are waited for from here on; cheap enough to be called for each chunk. */
	wait(): void {
		this.#since ??= this.#clock.monotonic();
	}

	/** Bytes came. */
	arrive(): void {
		this.#since = undefined;
		if (this.#answered) return;
		this.#answered = true;
		// The idle time may be shorter than what was left for the first byte.
		this.#arm();
	}

	/** What is left may take so long at most. */
	hurry(ms: number): void {
		this.#end = Math.min(this.#end, this.#clock.monotonic() + ms);
		this.#arm();
	}

	/** Leaves no timer behind. */
	stop(): void {
		this.#timer?.cancel();
	}

	get #patience(): number {
		return this.#answered ? this.#timeouts.idleMs : this.#timeouts.firstByteMs;
	}

	/** One timer at a time, which looks when it is due whether bytes came: arming one for each chunk would cost more. */
	#arm(): void {
		this.#timer?.cancel();
		const now = this.#clock.monotonic();
		const due = Math.min(this.#end, (this.#since ?? now) + this.#patience);
		this.#timer = this.#clock.after(Math.max(0, due - now), () => this.#look());
	}

	#look(): void {
		const now = this.#clock.monotonic();
		if (now >= this.#end) this.#expire(`no end of the answer within ${seconds(this.#timeouts.totalMs)}`);
		else if (this.#since === undefined || now - this.#since < this.#patience) this.#arm();
		else if (this.#answered) this.#expire(`nothing more of the answer for ${seconds(this.#patience)}`);
		else this.#expire(`no answer within ${seconds(this.#patience)}`);
	}
}

function seconds(ms: number): string {
	return `${ms / 1000} s`;
}
