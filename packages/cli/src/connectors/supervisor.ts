import { type Clock, delay, type Logger } from "@parley/base";
import type { RunningProgram } from "@parley/core";

/** Exit code of a connector that must not be restarted until an operator has changed its token or settings. */
export const refusedExitCode = 78;

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Minimum uptime, in milliseconds, after which the restart delay is the shortest again. */
const healthyMs = 5 * 60_000;
/** Milliseconds between the stop request and the kill. */
const patienceMs = 10_000;

export interface Supervised {
	/** Name in the log, for example `discord`. */
	readonly name: string;
	start(): RunningProgram;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Starts a program, and restarts it after each end until `stop`. After repeated ends, the delay grows to a minute. An
 * end with `refusedExitCode` is final, because the program has reported what a person must change.
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

	/** Asks the program to stop, and kills it after 10 s. Resolves when it has ended. */
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
			// The loop checks the signal for a stop request.
			await delay(clock, waitMs, signal).catch(() => undefined);
		}
	}
}
