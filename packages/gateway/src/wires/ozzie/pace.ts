import type { Clock, Timer } from "@parley/base";

/** Requests that may fail at once, and again in each second after that, before a client is read more slowly. */
const failuresPerSecond = 1000;

/**
 * Decides whether a client is read: not while too many of its requests wait, and not while it has sent nonsense faster
 * than anybody can mean it. Everything that was read is still answered; only the others keep their turn.
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

	/** Whether too many requests wait. */
	full(full: boolean): void {
		this.#full = full;
		this.#decide();
	}

	/** A request was refused. */
	failed(): void {
		this.#refill();
		this.#tokens -= 1;
		if (this.#tokens < 0 && !this.#timer) this.#rest();
	}

	/** The client has gone. */
	end(): void {
		this.#timer?.cancel();
	}

	/** Reads nothing until what was sent too fast is made up for. */
	#rest(): void {
		this.#timer = this.#clock.after((-this.#tokens / failuresPerSecond) * 1000, () => {
			this.#timer = undefined;
			this.#refill();
			if (this.#tokens < 0) this.#rest();
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
