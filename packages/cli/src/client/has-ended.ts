import { delay, systemClock } from "@parley/base";
import { isAlive } from "./running-gateway.ts";

/** Longer than the 30 s that a gateway gives its runs after a stop request. */
const longestMs = 40_000;
const pollMs = 50;

/** Waits for the end of a gateway that was asked to stop. False if it still runs after 40 s. */
export async function hasEnded(pid: number): Promise<boolean> {
	const end = systemClock.monotonic() + longestMs;
	while (isAlive(pid)) {
		if (systemClock.monotonic() > end) return false;
		await delay(systemClock, pollMs);
	}
	return true;
}
