import type { Clock, Logger, Timer } from "@parley/base";
import type { ChangeJudge, LiveRun } from "../../conversation/session.ts";

type StopCause = "cancelled" | "parked" | "overtime";

/** The means to stop a run at work, and the time that it has worked. Nothing of it outlives the process. */
export class RunControl implements LiveRun {
	readonly id: string;
	readonly log: Logger;
	readonly working: WorkingTime;
	readonly changes = new Map<string, ChangeJudge>();
	ended: Promise<void> = Promise.resolve();
	readonly #abort = new AbortController();
	#cause: StopCause | undefined;

	/** `workingMs` is the working time that is left: then the run is stopped. */
	constructor({ id, log }: { readonly id: string; readonly log: Logger }, clock: Clock, workingMs: number) {
		this.id = id;
		this.log = log;
		this.working = new WorkingTime(clock, Math.max(0, workingMs), () => this.#stop("overtime"));
	}

	/** Aborts when the run is stopped. */
	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** The first reason why it was stopped; undefined if it was not. */
	get cause(): StopCause | undefined {
		return this.#cause;
	}

	get workedMs(): number {
		return this.working.workedMs;
	}

	get waiting(): boolean {
		return !this.working.running;
	}

	cancel(): void {
		this.#stop("cancelled");
	}

	park(): void {
		this.#stop("parked");
	}

	#stop(cause: StopCause): void {
		this.#cause ??= cause;
		this.#abort.abort();
	}
}

/** Counts down the time in which a run works. It stands still while the run waits for a person or a provider. */
class WorkingTime {
	readonly #clock: Clock;
	readonly #onOver: () => void;
	readonly #limitMs: number;
	#leftMs: number;
	#since = 0;
	#timer: Timer | undefined;

	constructor(clock: Clock, limitMs: number, onOver: () => void) {
		this.#clock = clock;
		this.#limitMs = limitMs;
		this.#leftMs = limitMs;
		this.#onOver = onOver;
	}

	/** Milliseconds that it has counted so far. */
	get workedMs(): number {
		const sinceMs = this.#timer ? this.#clock.monotonic() - this.#since : 0;
		return this.#limitMs - this.#leftMs + sinceMs;
	}

	get running(): boolean {
		return this.#timer !== undefined;
	}

	start(): void {
		if (this.#timer) return;
		this.#since = this.#clock.monotonic();
		this.#timer = this.#clock.after(this.#leftMs, this.#onOver);
	}

	stop(): void {
		if (!this.#timer) return;
		this.#timer.cancel();
		this.#timer = undefined;
		this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#since));
	}
}
