import { type Clock, systemClock } from "@parley/base";

/** Factor of these clocks: a lease of 30 s expires after 1.5 s. */
const pace = 20;

/** A clock that is right at `epoch`, with the same time in all processes that use this epoch. */
export function fastClock(epoch: number): Clock {
	return {
		now: () => epoch + (systemClock.now() - epoch) * pace,
		monotonic: () => systemClock.monotonic() * pace,
		after: (ms, action) => systemClock.after(ms / pace, action),
	};
}
