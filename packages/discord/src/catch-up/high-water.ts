import { type Clock, defined, type Logger } from "@parley/base";
import { LateSave } from "@parley/connector";

/** The newest message of a channel that is durably taken. */
export interface Mark {
	readonly message: string;
	/** Absent: direct messages. */
	readonly guild?: string;
	/** What was written after this message could not be read yet, although later ones may be taken. */
	readonly unread?: string;
	/** An earlier process may have answered what could not be read. */
	readonly seenBefore?: true;
}

/** Marks by the ids of their channels, in the order in which they last moved. */
export type Marks = Readonly<Record<string, Mark>>;

/** Keeps them from one process to the next. */
export interface MarkStore {
	load(): Promise<Marks | undefined>;
	save(marks: Marks): Promise<void>;
}

/**
 * Maximum marks. The channel that was silent for the longest time goes first, but never one with messages that are still
 * to be read. No cache: a mark that is lost cannot be computed again, and its messages would never be read.
 */
const most = 500;

/** How far each channel was read, for when Discord cannot say what was missed. */
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
	 * A message of the channel is durably taken. Resolves at once, but for the first of a channel when that is written: of
	 * one without any mark nothing would be read.
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
	 * Channels of which there was no mark are read up to these; where there are too many, those with the newest messages.
	 * Resolves when that is written, or cannot be.
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

	/** What was written after a mark cannot be read for now: that stays known, also over restarts, until it could be. */
	async owe(channel: string, mark: Mark): Promise<void> {
		const owed = mark.unread ?? mark.message;
		const newest = this.#marks.get(channel) ?? mark;
		if (newest.unread !== undefined && BigInt(newest.unread) <= BigInt(owed)) return;
		this.#set(channel, { ...newest, ...defined({ unread: owed, seenBefore: mark.seenBefore }) });
		await this.#kept.written();
	}

	/** Nothing is owed of the channel any more. */
	caughtUp(channel: string): void {
		const mark = this.#marks.get(channel);
		if (mark?.unread === undefined) return;
		const { unread: _, seenBefore: __, ...rest } = mark;
		this.#marks.set(channel, rest);
		this.#kept.changed();
	}

	/** Channels of which something is owed. */
	get behind(): readonly (readonly [string, Mark])[] {
		return [...this.#marks].filter(([, { unread }]) => unread !== undefined);
	}

	/** The channel is gone. */
	forget(channel: string): void {
		if (this.#marks.delete(channel)) this.#kept.changed();
	}

	/** Resolves when all is written, or cannot be. */
	close(): Promise<void> {
		return this.#kept.close();
	}

	/** As the one that moved last. */
	#set(channel: string, mark: Mark): void {
		this.#marks.delete(channel);
		this.#marks.set(channel, mark);
		if (this.#marks.size <= most) return;
		const owed = new Set(this.behind.map(([behind]) => behind));
		const oldest = [...this.#marks.keys()].find((one) => !owed.has(one)) ?? channel;
		this.#marks.delete(oldest);
	}
}
