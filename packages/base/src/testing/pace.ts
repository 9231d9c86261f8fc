import { type Clock, systemClock } from "../clock.ts";

/** Rounds of the measured work. The work takes about 100 ms on an idle core. */
const rounds = 20_000_000;
const idleMs = 100;
const highest = 50;

/** Environment variable in which vitest.config.ts passes the factor of a test run to its processes. */
export const paceVariable = "PARLEY_TEST_PACE";

/**
 * Returns how many times slower this machine is now than an idle machine, from 1 to 50. Blocks the event
 * loop, for 100 ms on an idle machine.
 */
export function measurePace(clock: Clock = systemClock): number {
	const start = clock.monotonic();
	let sum = 1;
	for (let round = 1; round < rounds; round++) sum = (sum * 31 + round) % 65_521;
	// Uses the result, so that the compiler cannot remove the loop.
	if (sum < 0) throw new Error(`the known piece of work returned ${sum}`);
	return Math.min(highest, Math.max(1, (clock.monotonic() - start) / idleMs));
}

let pace: number | undefined;

/**
 * Returns the factor of the test run: `paceVariable` if it is set, otherwise the result of `measurePace` at
 * the first call.
 */
export function runPace(): number {
	pace ??= Number(process.env[paceVariable] ?? measurePace());
	return pace;
}

/** Converts a duration on an idle machine to the duration on this machine, with the factor of the test run. */
export function paced(ms: number): number {
	return Math.ceil(ms * runPace());
}

/**
 * Returns the limit in milliseconds for a measurement that has just ended. The limit is `promisedMs` times the factor
 * of the test run, or times the present factor if the present factor is larger.
 */
export function pacedNow(promisedMs: number): number {
	return Math.ceil(promisedMs * Math.max(runPace(), measurePace()));
}

/**
 * Calls `giveUp` after `ms` milliseconds times the factor of the test run. If the machine is at least 1.5 times slower
 * than assumed at that time, extends the wait in proportion. Returns a function that cancels the wait.
 */
export function afterPatience(ms: number, giveUp: () => void): () => void {
	let allowedMs = paced(ms);
	const expire = (): void => {
		const neededMs = pacedNow(ms);
		if (neededMs < allowedMs * 1.5) {
			giveUp();
			return;
		}
		timer = systemClock.after(neededMs - allowedMs, expire);
		allowedMs = neededMs;
	};
	let timer = systemClock.after(allowedMs, expire);
	return () => timer.cancel();
}
