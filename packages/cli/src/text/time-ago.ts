const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Returns the time since an event, for example `3 min ago`. */
export function timeAgo(then: number, now: number): string {
	const passed = now - then;
	return passed < minute ? "just now" : `${duration(passed)} ago`;
}

/** Returns a time span in its largest unit, rounded down, for example `3 min`. Days are used from two days on. */
export function duration(ms: number): string {
	if (ms < minute) return `${Math.floor(ms / 1000)} s`;
	if (ms < hour) return `${Math.floor(ms / minute)} min`;
	if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
	return `${Math.floor(ms / day)} days`;
}

/**
 * Returns the remaining time. From one minute on, it is rounded to the nearest unit, so that one day does not
 * become 23 hours after a moment.
 */
export function timeLeft(ms: number): string {
	if (ms < minute) return duration(ms);
	const [minutes, hours] = [Math.round(ms / minute), Math.round(ms / hour)];
	if (minutes < 120) return `${minutes} min`;
	return hours <= 48 ? `${hours} h` : `${Math.round(ms / day)} days`;
}
