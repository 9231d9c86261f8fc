import type { Clock, Timer } from "@parley/base";

/** Number of failed requests per second above which reading pauses. It is also the maximum burst of failed requests. */
const failuresPerSecond = 1000;

/**
 * Decides whether the gateway reads from a client. Reading pauses while too many requests wait, and after too many
 * failed requests, so that one client cannot delay other clients.
 */
export class Pace {
	readonly #clock: Clock;
	readonly #read: (on: boolean) => void;
	#full = false;
	#reading = true;
	#tokens = failuresPerSecond;
	#at: number;
	#timer: Timer | undefined;

	constructor(clock: Clock, read: (on: boolean) => void) {
		this.#clock = clock;
		this.#read = read;
		this.#at = clock.monotonic();
	}

	full(full: boolean): void {
		this.#full = full;
		this.#decide();
	}

	failed(): void {
		this.#refill();
		this.#tokens -= 1;
		if (this.#tokens < 0 && !this.#timer) this.#pauseReading();
	}

	end(): void {
		this.#timer?.cancel();
	}

	#pauseReading(): void {
		this.#timer = this.#clock.after((-this.#tokens / failuresPerSecond) * 1000, () => {
			this.#timer = undefined;
			this.#refill();
			if (this.#tokens < 0) this.#pauseReading();
			else this.#decide();
		});
		this.#decide();
	}

	#refill(): void {
		const now = this.#clock.monotonic();
		const gained = ((now - this.#at) / 1000) * failuresPerSecond;
		this.#tokens = Math.min(failuresPerSecond, this.#tokens + gained);
		this.#at = now;
	}

	#decide(): void {
		const reading = !this.#full && !this.#timer;
		if (reading !== this.#reading) this.#read(reading);
		this.#reading = reading;
	}
}
