import type { Clock, Logger, Timer } from "@parley/base";

/** The newest message of a channel that is durably taken. */
export interface Mark {
	readonly message: string;
	/** Absent: direct messages. */
	readonly guild?: string;
}

/** Marks by the ids of their channels, in the order in which they last moved. */
export type Marks = Readonly<Record<string, Mark>>;

/** Keeps them from one process to the next. */
export interface MarkStore {
	load(): Promise<Marks | undefined>;
	save(marks: Marks): Promise<void>;
}

/** An older mark only reads again what is known already: it is not worth a write for each message. */
const lateMs = 10_000;

/** Channels that were the longest without a word go first. */
const most = 500;

/** How far each channel was read, for when Discord cannot say what was missed. */
export class HighWater {
	readonly #parts: { readonly store: MarkStore; readonly clock: Clock; readonly log: Logger };
	readonly #marks: Map<string, Mark>;
	#timer: Timer | undefined;
	#saving: Promise<void> = Promise.resolve();
	#isClosed = false;

	static async open(parts: {
		readonly store: MarkStore;
		readonly clock: Clock;
		readonly log: Logger;
	}): Promise<HighWater> {
		return new HighWater(parts, (await parts.store.load()) ?? {});
	}

	private constructor(
		parts: { readonly store: MarkStore; readonly clock: Clock; readonly log: Logger },
		marks: Marks,
	) {
		this.#parts = parts;
		this.#marks = new Map(Object.entries(marks));
	}

	get marks(): ReadonlyMap<string, Mark> {
		return this.#marks;
	}

	/**
	 * A message of the channel is durably taken. Resolves at once, but for the first of a channel when that is written: of
	 * one without any mark nothing would be read.
	 */
	async passed(channel: string, mark: Mark): Promise<void> {
		const before = this.#marks.get(channel);
		if (before !== undefined && BigInt(before.message) >= BigInt(mark.message)) return;
		this.#marks.delete(channel);
		this.#marks.set(channel, mark);
		const [oldest] = this.#marks.keys();
		if (this.#marks.size > most && oldest !== undefined) this.#marks.delete(oldest);
		if (before !== undefined) return this.#changed();
		this.#write();
		await this.#saving;
	}

	/** The channel is gone. */
	forget(channel: string): void {
		if (this.#marks.delete(channel)) this.#changed();
	}

	/** Resolves when all is written, or cannot be. */
	async close(): Promise<void> {
		this.#isClosed = true;
		if (this.#timer !== undefined) this.#write();
		await this.#saving;
	}

	#changed(): void {
		if (this.#isClosed) return;
		this.#timer ??= this.#parts.clock.after(lateMs, () => this.#write());
	}

	#write(): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		const { store, log } = this.#parts;
		this.#saving = this.#saving
			.then(() => store.save(Object.fromEntries(this.#marks)))
			.catch((error: unknown) => {
				log.warn("how far Discord was read cannot be written down yet", { error });
				this.#changed();
			});
	}
}
