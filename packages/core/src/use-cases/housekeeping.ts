import type { Clock, Logger, Timer } from "@parley/base";

const dayMs = 24 * 60 * 60 * 1000;

/** What is looked through once a day, and what the log calls it. */
export interface Chore {
	readonly name: string;
	readonly work: () => Promise<void>;
}

/** Forgets what has had its time: once at the start, and then every day. */
export class Housekeeping {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #chores: readonly Chore[];
	#timer: Timer | undefined;
	#stopped = false;

	constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }, chores: readonly Chore[]) {
		this.#clock = clock;
		this.#log = log;
		this.#chores = chores;
	}

	/** Does everything once and comes back every day. Never rejects: what fails is logged and tried the next day. */
	async begin(): Promise<void> {
		if (this.#stopped) return;
		this.#timer = this.#clock.after(dayMs, () => void this.begin());
		for (const { name, work } of this.#chores) {
			try {
				await work();
			} catch (error) {
				this.#log.error(`${name} could not be looked through`, { error });
			}
		}
	}

	stop(): void {
		this.#stopped = true;
		this.#timer?.cancel();
	}
}
