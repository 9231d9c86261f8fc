import { type Clock, systemClock } from "@parley/base";

/** Speed of the clock, with which a lease of 30 s expires after 1.5 s. */
const pace = 20;

/**
 * Returns a clock that starts at the real time `epoch`, and then runs `pace` times as fast as real time. Clocks with
 * the same epoch show the same time in all processes.
 */
export function fastClock(epoch: number): Clock {
	return {
		now: () => epoch + (systemClock.now() - epoch) * pace,
		monotonic: () => systemClock.monotonic() * pace,
		after: (ms, action) => systemClock.after(ms / pace, action),
	};
}
