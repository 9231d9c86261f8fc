import { type Clock, delay, type Logger } from "@parley/base";
import type { RunningProgram } from "@parley/core";

/** Exit code of a connector that needs another token or other settings before it can start again. */
export const refusedExitCode = 78;

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** After this time of work, the next restart waits as briefly as the first. */
const healthyMs = 5 * 60_000;
/** Milliseconds after the stop request. */
const patienceMs = 10_000;

export interface Supervised {
	/** For the log: `discord`. */
	readonly name: string;
	start(): RunningProgram;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Restarts a program after each end, with a delay that grows to a minute after repeated ends. An end with
 * `refusedExitCode` is final, because the program has reported what a person must change.
 */
export class Supervisor {
	readonly #supervised: Supervised;
	readonly #stopping = new AbortController();
	#program: RunningProgram | undefined;
	readonly #ended: Promise<void>;

	constructor(supervised: Supervised) {
		this.#supervised = supervised;
		this.#ended = this.#run();
	}

	/** Resolves when the program has ended, at the latest 10 s later: then it is killed. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#program?.signal("SIGTERM");
		const killing = this.#supervised.clock.after(patienceMs, () => this.#program?.signal("SIGKILL"));
		await this.#ended;
		killing.cancel();
	}

	async #run(): Promise<void> {
		const { name, start, clock, log } = this.#supervised;
		const { signal } = this.#stopping;
		for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
			const startedAt = clock.monotonic();
			this.#program = start();
			const code = await this.#program.ended;
			this.#program = undefined;
			if (signal.aborted) return;
			if (code === refusedExitCode) {
				log.error("the connector is not restarted: fix the reported problem, then start Parley again", {
					connector: name,
				});
				return;
			}
			if (clock.monotonic() - startedAt >= healthyMs) waitMs = firstWaitMs;
			log.warn("the connector ended and is restarted", { connector: name, code, waitMs });
			// A stop request is visible in the signal.
			await delay(clock, waitMs, signal).catch(() => undefined);
		}
	}
}
