import { type Clock, defined, type Logger } from "@parley/base";
import { LateSave } from "@parley/connector";

/** Position in a channel: the id of its newest durable message, or an id that represents a time. */
export interface Cursor {
	readonly message: string;
	/** Id of the channel's guild. Absent for direct messages. */
	readonly guild?: string;
	/** Id of the message after which messages could not be read, although later messages may be durable. */
	readonly unread?: string;
	/** Whether an earlier process may have answered the unread messages. */
	readonly seenBefore?: true;
}

/** Cursors by channel id, in the order in which they were last set. */
export type Cursors = Readonly<Record<string, Cursor>>;

/** Storage of the cursors across restarts. */
export interface CursorStore {
	load(): Promise<Cursors | undefined>;
	save(cursors: Cursors): Promise<void>;
}

/**
 * Maximum number of cursors. A removed cursor cannot be restored, and missed messages of the cursor's channel may
 * never be read.
 */
const maximum = 500;

/** Read positions of channels. If Discord cannot resume the session, reading starts after these positions. */
export class HighWater {
	readonly #cursors: Map<string, Cursor>;
	readonly #saved: LateSave;

	static async open(parts: {
		readonly store: CursorStore;
		readonly clock: Clock;
		readonly log: Logger;
	}): Promise<HighWater> {
		return new HighWater(parts, (await parts.store.load()) ?? {});
	}

	private constructor(
		parts: { readonly store: CursorStore; readonly clock: Clock; readonly log: Logger },
		cursors: Cursors,
	) {
		const { store, clock, log } = parts;
		this.#cursors = new Map(Object.entries(cursors));
		const save = (): Promise<void> => store.save(Object.fromEntries(this.#cursors));
		this.#saved = new LateSave({ save, what: "the cursors of Discord's channels", clock, log });
	}

	get cursors(): ReadonlyMap<string, Cursor> {
		return this.#cursors;
	}

	/**
	 * Records a durable message of the channel. For a channel without a cursor, resolves when storing the cursor
	 * has succeeded or failed. Without a stored cursor, missed messages might never be read.
	 */
	async passed(channel: string, cursor: Cursor): Promise<void> {
		const before = this.#cursors.get(channel);
		if (before !== undefined && BigInt(before.message) >= BigInt(cursor.message)) return;
		const { message: _, guild: __, ...unread } = before ?? cursor;
		this.#set(channel, { ...cursor, ...unread });
		if (before !== undefined) return this.#saved.changed();
		await this.#saved.written();
	}

	/**
	 * Adds cursors for channels without a cursor. If there are too many, adds the cursors with the newest messages.
	 * Resolves when the cursors are stored, or when storing has failed.
	 */
	async know(places: readonly (readonly [channel: string, cursor: Cursor])[]): Promise<void> {
		const unknown = places
			.filter(([channel]) => !this.#cursors.has(channel))
			.toSorted(([, one], [, other]) => (BigInt(one.message) < BigInt(other.message) ? 1 : -1))
			.slice(0, maximum - this.#cursors.size);
		if (unknown.length === 0) return;
		for (const [channel, cursor] of unknown.toReversed()) this.#set(channel, cursor);
		await this.#saved.written();
	}

	/**
	 * Records that the messages after a cursor are unread, unless this position or an earlier one is already
	 * recorded as unread. Resolves when storing has succeeded or failed.
	 */
	async addPending(channel: string, cursor: Cursor): Promise<void> {
		const unread = cursor.unread ?? cursor.message;
		const newest = this.#cursors.get(channel) ?? cursor;
		if (newest.unread !== undefined && BigInt(newest.unread) <= BigInt(unread)) return;
		this.#set(channel, { ...newest, ...defined({ unread, seenBefore: cursor.seenBefore }) });
		await this.#saved.written();
	}

	/** Records that the channel has been read to its end. */
	caughtUp(channel: string): void {
		const cursor = this.#cursors.get(channel);
		if (cursor?.unread === undefined) return;
		const { unread: _, seenBefore: __, ...rest } = cursor;
		this.#cursors.set(channel, rest);
		this.#saved.changed();
	}

	/** Returns the channels with unread missed messages, each with its cursor. */
	get behind(): readonly (readonly [string, Cursor])[] {
		return [...this.#cursors].filter(([, { unread }]) => unread !== undefined);
	}

	/** Deletes the cursor of a channel, because the bot can no longer read the channel. */
	forget(channel: string): void {
		if (this.#cursors.delete(channel)) this.#saved.changed();
	}

	/** Stores the latest cursors. Resolves when the cursors are stored, or when storing has failed. */
	close(): Promise<void> {
		return this.#saved.close();
	}

	/**
	 * Stores a cursor. If there are too many cursors, removes the oldest one without unread messages, or else the
	 * cursor of `channel`.
	 */
	#set(channel: string, cursor: Cursor): void {
		this.#cursors.delete(channel);
		this.#cursors.set(channel, cursor);
		if (this.#cursors.size <= maximum) return;
		const unread = new Set(this.behind.map(([behind]) => behind));
		const oldest = [...this.#cursors.keys()].find((one) => !unread.has(one)) ?? channel;
		this.#cursors.delete(oldest);
	}
}
