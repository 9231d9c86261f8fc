/** Work that waits for its time. */
export interface Timer {
	/** Stops it; nothing happens when it has run already. */
	cancel(): void;
}

/** The only source of time, so that tests can own it. */
export interface Clock {
	/** Milliseconds since the epoch; may jump when the machine's clock is set. */
	now(): number;
	/** Milliseconds since some fixed moment; never goes back. For durations. */
	monotonic(): number;
	/** Runs the action once, not earlier than in `ms` milliseconds. The timer keeps the process alive: cancel it. */
	after(ms: number, action: () => void): Timer;
}

/** A longer `setTimeout` fires after 1 ms: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The machine's clock. Unlike bare `setTimeout`, `after` also takes more than 24.8 days. */
export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	after(ms, action) {
		let timeout: NodeJS.Timeout;
		const wait = (left: number): void => {
			const next = left - MAX_TIMEOUT_MS;
			timeout = next > 0 ? setTimeout(wait, MAX_TIMEOUT_MS, next) : setTimeout(action, left);
		};
		wait(ms);
		return { cancel: () => clearTimeout(timeout) };
	},
};

/** Resolves in `ms` milliseconds; rejects with the signal's reason, at once, when the signal aborts first. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(signal.reason);
		const abort = (): void => {
			timer.cancel();
			reject(signal?.reason);
		};
		const timer = clock.after(ms, () => {
			signal?.removeEventListener("abort", abort);
			resolve();
		});
		signal?.addEventListener("abort", abort, { once: true });
	});
}
