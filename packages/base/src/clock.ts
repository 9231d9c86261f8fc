export interface Timer {
	/** Cancels the action. Does nothing if the action has run. */
	cancel(): void;
}

/** Source of time. Tests can replace it. */
export interface Clock {
	/** Returns milliseconds since the epoch. The result may jump when the clock of the machine is set. */
	now(): number;
	/** Returns milliseconds since a fixed moment. The result never decreases, so it is suitable for durations. */
	monotonic(): number;
	/**
	 * Runs the action once, after at least `ms` milliseconds. The timer keeps the process alive until it has fired or is
	 * cancelled.
	 */
	after(ms: number, action: () => void): Timer;
}

/**
 * Maximum delay of `setTimeout` in milliseconds. A longer delay becomes 1 ms:
 * https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Clock of the machine. Unlike `setTimeout`, the method `after` accepts delays of more than 24.8 days. */
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

/** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as the signal aborts. */
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
