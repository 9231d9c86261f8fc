import type { Clock, Logger, Timer } from "@parley/base";

/** What is older only costs reading again what is known already: it is not worth a write for each change. */
const lateMs = 10_000;

/** Writes down what changes often: ten seconds after a change, or when it is asked for; and later where that fails. */
export class LateSave {
	readonly #parts: LateSaveParts;
	#timer: Timer | undefined;
	#saving: Promise<void> = Promise.resolve();
	#isClosed = false;

	constructor(parts: LateSaveParts) {
		this.#parts = parts;
	}

	/** Something of it has changed. */
	changed(): void {
		if (this.#isClosed) return;
		this.#timer ??= this.#parts.clock.after(lateMs, () => this.#write());
	}

	/** Resolves when all is written, or cannot be. */
	async written(): Promise<void> {
		this.#write();
		await this.#saving;
	}

	/** Writes what has changed, for the last time; resolves as `written` does. */
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
			log.warn(`${what} cannot be written down yet`, { error });
			this.changed();
		});
	}
}

export interface LateSaveParts {
	/** Writes it as it is when this is called; one write at a time. */
	readonly save: () => Promise<void>;
	/** For the log: `how far Slack was read`. */
	readonly what: string;
	readonly clock: Clock;
	readonly log: Logger;
}
