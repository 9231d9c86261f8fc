import type { Clock, Logger, Timer } from "@parley/base";
import { snowflakeAt } from "../vocabulary/snowflake.ts";

/** Storage of a time across restarts, in milliseconds since the epoch. */
export interface AliveStore {
	load(): Promise<number | undefined>;
	save(at: number): Promise<void>;
}

const everyMs = 60_000;

/**
 * Safety margin in milliseconds before the recorded time, because a dead connection is detected late and clocks
 * differ. Messages that are read twice are recognised by their ids.
 */
const slackMs = 120_000;

/**
 * Records the last time at which no message was missed. In channels without a cursor, reading starts `slackMs`
 * before that time.
 */
export class LastAlive {
	readonly #parts: { readonly store: AliveStore; readonly clock: Clock; readonly log: Logger };
	#at: number | undefined;
	#timer: Timer | undefined;
	#saving: Promise<void> = Promise.resolve();

	static async open(parts: {
		readonly store: AliveStore;
		readonly clock: Clock;
		readonly log: Logger;
	}): Promise<LastAlive> {
		return new LastAlive(parts, await parts.store.load());
	}

	private constructor(
		parts: { readonly store: AliveStore; readonly clock: Clock; readonly log: Logger },
		at: number | undefined,
	) {
		this.#parts = parts;
		this.#at = at;
	}

	/**
	 * Returns a lower bound for the ids of messages that may have been missed: `slackMs` before the recorded time.
	 * Returns undefined if no time is recorded.
	 */
	get since(): string | undefined {
		return this.#at === undefined ? undefined : snowflakeAt(this.#at - slackMs);
	}

	/**
	 * Stores the current time whenever `isWell` returns true. Checks `isWell` now, and then every minute until `close`.
	 */
	begin(isWell: () => boolean): void {
		this.#timer?.cancel();
		const { clock } = this.#parts;
		this.#timer = clock.after(everyMs, () => this.begin(isWell));
		if (isWell()) this.#touch();
	}

	/** Stops the checks of `begin`. Resolves when the time is stored, or when storing has failed. */
	async close(): Promise<void> {
		this.#timer?.cancel();
		await this.#saving;
	}

	#touch(): void {
		const { store, clock, log } = this.#parts;
		const at = clock.now();
		if (at === this.#at) return;
		this.#at = at;
		this.#saving = store.save(at).catch((error: unknown) => {
			// With an older time, more messages are read again, which is harmless.
			log.warn("cannot store the time of the last event from Discord, retrying later", { error });
		});
	}
}
