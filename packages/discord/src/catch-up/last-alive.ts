import type { Clock, Logger, Timer } from "@parley/base";
import { snowflakeAt } from "../vocabulary/snowflake.ts";

/** Keeps a moment, in milliseconds since the epoch, from one process to the next. */
export interface AliveStore {
	load(): Promise<number | undefined>;
	save(at: number): Promise<void>;
}

const everyMs = 60_000;

/** A connection may be dead so long before that shows, and clocks differ: what is read twice is known by its id. */
const slackMs = 120_000;

/** The last moment at which nothing can have been missed anywhere: for places of which nothing else is known. */
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

	/** Whatever has a lower id is not missed; undefined where there was no such moment yet. */
	get since(): string | undefined {
		return this.#at === undefined ? undefined : snowflakeAt(this.#at - slackMs);
	}

	/** Looks now and every minute whether all is well, until it is closed. */
	begin(isWell: () => boolean): void {
		this.#timer?.cancel();
		const { clock } = this.#parts;
		this.#timer = clock.after(everyMs, () => this.begin(isWell));
		if (isWell()) this.#touch();
	}

	/** Resolves when it is written, or cannot be. */
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
			// The next one may be; an older moment only reads more again.
			log.warn("when Discord was heard last cannot be written down yet", { error });
		});
	}
}
