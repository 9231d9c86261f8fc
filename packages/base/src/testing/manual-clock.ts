import type { Clock, Timer } from "../clock.ts";

interface Waiting {
	readonly due: number;
	readonly action: () => void;
}

/** Clock that moves only with `advance`. Starts at 2026-01-01T00:00:00Z by default. */
export class ManualClock implements Clock {
	readonly #start: number;
	#elapsed = 0;
	readonly #waiting = new Set<Waiting>();

	constructor(start = Date.UTC(2026, 0, 1)) {
		this.#start = start;
	}

	now(): number {
		return this.#start + this.#elapsed;
	}

	monotonic(): number {
		return this.#elapsed;
	}

	after(ms: number, action: () => void): Timer {
		const waiting = { due: this.#elapsed + Math.max(0, ms), action };
		this.#waiting.add(waiting);
		return { cancel: () => void this.#waiting.delete(waiting) };
	}

	get pending(): number {
		return this.#waiting.size;
	}

	/**
	 * Advances the clock by `ms` milliseconds. Runs the timers that become due, in the order of their times. While a
	 * timer runs, the clock shows the timer's time.
	 */
	advance(ms: number): void {
		const end = this.#elapsed + ms;
		for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
			this.#waiting.delete(next);
			this.#elapsed = next.due;
			next.action();
		}
		this.#elapsed = end;
	}

	#nextUntil(end: number): Waiting | undefined {
		let first: Waiting | undefined;
		for (const waiting of this.#waiting) {
			if (waiting.due <= end && (first === undefined || waiting.due < first.due)) first = waiting;
		}
		return first;
	}
}
