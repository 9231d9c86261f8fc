import { type Clock, systemClock } from "@parley/base";

/** Speed of these clocks: a lease of 30 s expires after 1.5 s. */
const pace = 20;

/**
 * A clock that shows the real time at `epoch` and then runs faster. All processes with the same epoch have the same
 * time.
 */
export function fastClock(epoch: number): Clock {
	return {
		now: () => epoch + (systemClock.now() - epoch) * pace,
		monotonic: () => systemClock.monotonic() * pace,
		after: (ms, action) => systemClock.after(ms / pace, action),
	};
}
