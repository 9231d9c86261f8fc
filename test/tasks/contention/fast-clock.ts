import { type Clock, systemClock } from "@parley/base";

/** How much faster these clocks go: a lease of 30 s has run out after 1.5 s. */
const pace = 20;

/** A clock that shows `epoch` at the time `epoch`, and the same in all processes that are told the same. */
export function fastClock(epoch: number): Clock {
	return {
		now: () => epoch + (systemClock.now() - epoch) * pace,
		monotonic: () => systemClock.monotonic() * pace,
		after: (ms, action) => systemClock.after(ms / pace, action),
	};
}
