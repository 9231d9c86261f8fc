import { type Clock, defined, type Logger } from "@parley/base";
import { LateSave } from "@parley/connector";

/** Newest durable message of a channel. */
export interface Mark {
	readonly message: string;
	/** Absent: direct messages. */
	readonly guild?: string;
	/** Messages after this one could not be read yet, although later ones may be durable. */
	readonly unread?: string;
	/** An earlier process may have answered the messages that could not be read. */
	readonly seenBefore?: true;
}

/** Marks by the ids of their channels, in the order of their last change. */
export type Marks = Readonly<Record<string, Mark>>;

/** Stores the marks over restarts. */
export interface MarkStore {
	load(): Promise<Marks | undefined>;
	save(marks: Marks): Promise<void>;
}

/**
 * Maximum marks. The channel that was silent for the longest time goes first, but never one with messages that are still
 * to be read. No cache: a mark that is lost cannot be computed again, and its messages would never be read.
 */
const most = 500;

/** How far each channel was read: the start for reading when Discord cannot resume the session. */
export class HighWater {
	readonly #marks: Map<string, Mark>;
	readonly #kept: LateSave;

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
		const { store, clock, log } = parts;
		this.#marks = new Map(Object.entries(marks));
		const save = (): Promise<void> => store.save(Object.fromEntries(this.#marks));
		this.#kept = new LateSave({ save, what: "how far Discord was read", clock, log });
	}

	get marks(): ReadonlyMap<string, Mark> {
		return this.#marks;
	}

	/**
	 * Records a durable message of the channel. Resolves at once; for the first message of a channel, when the mark is stored:
	 * a channel without a mark would not be read.
	 */
	async passed(channel: string, mark: Mark): Promise<void> {
		const before = this.#marks.get(channel);
		if (before !== undefined && BigInt(before.message) >= BigInt(mark.message)) return;
		const { message: _, guild: __, ...owed } = before ?? mark;
		this.#set(channel, { ...mark, ...owed });
		if (before !== undefined) return this.#kept.changed();
		await this.#kept.written();
	}

	/**
	 * Adds marks for channels without one; if there are too many, for those with the newest messages. Resolves when they are
	 * stored, or cannot be.
	 */
	async know(places: readonly (readonly [channel: string, mark: Mark])[]): Promise<void> {
		const unknown = places
			.filter(([channel]) => !this.#marks.has(channel))
			.toSorted(([, one], [, other]) => (BigInt(one.message) < BigInt(other.message) ? 1 : -1))
			.slice(0, most - this.#marks.size);
		if (unknown.length === 0) return;
		for (const [channel, mark] of unknown.toReversed()) this.#set(channel, mark);
		await this.#kept.written();
	}

	/** Records, also over restarts, that the messages after a mark are still to be read. */
	async owe(channel: string, mark: Mark): Promise<void> {
		const owed = mark.unread ?? mark.message;
		const newest = this.#marks.get(channel) ?? mark;
		if (newest.unread !== undefined && BigInt(newest.unread) <= BigInt(owed)) return;
		this.#set(channel, { ...newest, ...defined({ unread: owed, seenBefore: mark.seenBefore }) });
		await this.#kept.written();
	}

	/** The channel has been read to its end. */
	caughtUp(channel: string): void {
		const mark = this.#marks.get(channel);
		if (mark?.unread === undefined) return;
		const { unread: _, seenBefore: __, ...rest } = mark;
		this.#marks.set(channel, rest);
		this.#kept.changed();
	}

	/** Channels with messages that are still to be read. */
	get behind(): readonly (readonly [string, Mark])[] {
		return [...this.#marks].filter(([, { unread }]) => unread !== undefined);
	}

	/** Deletes the mark of a channel that does not exist any more. */
	forget(channel: string): void {
		if (this.#marks.delete(channel)) this.#kept.changed();
	}

	/** Resolves when the marks are stored, or cannot be. */
	close(): Promise<void> {
		return this.#kept.close();
	}

	/** Sets the mark as the latest change. */
	#set(channel: string, mark: Mark): void {
		this.#marks.delete(channel);
		this.#marks.set(channel, mark);
		if (this.#marks.size <= most) return;
		const owed = new Set(this.behind.map(([behind]) => behind));
		const oldest = [...this.#marks.keys()].find((one) => !owed.has(one)) ?? channel;
		this.#marks.delete(oldest);
	}
}
