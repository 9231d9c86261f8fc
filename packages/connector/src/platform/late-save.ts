import type { Clock, Logger, Timer } from "@parley/base";

/**
 * Delay of a save in milliseconds after a change. Not every change needs a write, because an outdated state only causes
 * some data to be read again.
 */
const lateMs = 10_000;

/**
 * Saves a state that changes often: ten seconds after a change, or on request. Until `close`, a failed save is
 * retried.
 */
export class LateSave {
	readonly #parts: LateSaveParts;
	#timer: Timer | undefined;
	#saving: Promise<void> = Promise.resolve();
	#isClosed = false;

	constructor(parts: LateSaveParts) {
		this.#parts = parts;
	}

	/** Schedules a save after a change. */
	changed(): void {
		if (this.#isClosed) return;
		this.#timer ??= this.#parts.clock.after(lateMs, () => this.#write());
	}

	/** Saves at once. Resolves when the save has succeeded or failed. */
	async written(): Promise<void> {
		this.#write();
		await this.#saving;
	}

	/** Saves the last changes, without a later retry. Resolves as `written` does. */
	async close(): Promise<void> {
		this.#isClosed = true;
		if (this.#timer !== undefined) this.#write();
		await this.#saving;
	}

	#write(): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		const { save, what, log } = this.#parts;
		this.#saving = this.#saving.then(save).catch((error: unknown) => {
			log.warn(`${what} cannot be saved yet`, { error });
			this.changed();
		});
	}
}

export interface LateSaveParts {
	/** Saves the present state. Never called concurrently. */
	readonly save: () => Promise<void>;
	/** Name of the state for the log, for example `the cursors of Discord's channels`. */
	readonly what: string;
	readonly clock: Clock;
	readonly log: Logger;
}
