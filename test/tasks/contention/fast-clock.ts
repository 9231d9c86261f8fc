import { type Clock, systemClock } from "@parley/base";

/** Speed of the clock, with which a lease of 30 s expires after 1.5 s. */
const pace = 20;

/**
 * Returns a clock that starts with the real time `epoch` and runs `pace` times as fast. Processes with the same
 * epoch share its time.
 */
export function fastClock(epoch: number): Clock {
	return {
		now: () => epoch + (systemClock.now() - epoch) * pace,
		monotonic: () => systemClock.monotonic() * pace,
		after: (ms, action) => systemClock.after(ms / pace, action),
	};
}
