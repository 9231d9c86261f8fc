import type { Clock, Timer } from "@parley/base";

/** Counts down the time in which a run works; it stands still while the run waits for a person. */
export class WorkingTime {
	readonly #clock: Clock;
	readonly #onOver: () => void;
	readonly #limitMs: number;
	#leftMs: number;
	#since = 0;
	#timer: Timer | undefined;

	constructor(clock: Clock, limitMs: number, onOver: () => void) {
		this.#clock = clock;
		this.#limitMs = limitMs;
		this.#leftMs = limitMs;
		this.#onOver = onOver;
	}

	/** How long it has counted so far, in milliseconds. */
	get workedMs(): number {
		const sinceMs = this.#timer ? this.#clock.monotonic() - this.#since : 0;
		return this.#limitMs - this.#leftMs + sinceMs;
	}

	get running(): boolean {
		return this.#timer !== undefined;
	}

	start(): void {
		if (this.#timer) return;
		this.#since = this.#clock.monotonic();
		this.#timer = this.#clock.after(this.#leftMs, this.#onOver);
	}

	stop(): void {
		if (!this.#timer) return;
		this.#timer.cancel();
		this.#timer = undefined;
		this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#since));
	}
}
