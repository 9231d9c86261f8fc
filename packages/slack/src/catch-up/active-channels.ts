import { type Clock, definedItems, type Logger } from "@parley/base";
import { type InboundEvent, LateSave, type StoredValue } from "@parley/connector";
import { readMessageId } from "../vocabulary/message-id.ts";

/** A channel, or a thread in it. `thread` is the timestamp of the thread's first message. */
export interface ActiveChannel {
	readonly channel: string;
	readonly thread?: string;
	/** True if the agent was addressed in the channel or thread at least once. */
	readonly us?: true;
}

/**
 * Maximum entries. `us`: entries in which the agent was addressed. The least recently used entries are removed
 * first.
 */
const maximum = { us: 150, others: 50 } as const;

/** Channels and threads with messages, stored across restarts. The connector reads missed messages in them. */
export class ActiveChannels {
	readonly #places: Map<string, ActiveChannel>;
	readonly #saved: LateSave;

	static async open(parts: {
		readonly store: StoredValue<readonly ActiveChannel[]>;
		readonly clock: Clock;
		readonly log: Logger;
	}): Promise<ActiveChannels> {
		return new ActiveChannels(parts, (await parts.store.load()) ?? []);
	}

	private constructor(
		parts: {
			readonly store: StoredValue<readonly ActiveChannel[]>;
			readonly clock: Clock;
			readonly log: Logger;
		},
		places: readonly ActiveChannel[],
	) {
		const { store, clock, log } = parts;
		this.#places = new Map(places.map((place) => [nameOf(place), place]));
		const save = (): Promise<void> => store.save([...this.#places.values()]);
		this.#saved = new LateSave({ save, what: "the list of active channels", clock, log });
	}

	/**
	 * Returns the entries in which the agent was addressed, then all others. In each group, the most recently used
	 * entry is first.
	 */
	get all(): readonly ActiveChannel[] {
		const all = [...this.#places.values()].reverse();
		return [...all.filter(({ us }) => us), ...all.filter(({ us }) => !us)];
	}

	/** Records the entries of a stored message. If an entry is new, resolves when saving it has succeeded or failed. */
	async note(inbound: InboundEvent): Promise<void> {
		if (inbound.type !== "message") return;
		const isNew = channelsOf(inbound)
			.map((place) => this.#use(place))
			.includes(true);
		if (!isNew) return this.#saved.changed();
		await this.#saved.written();
	}

	/** Adds entries. `places` begins with the most recently used entry. Known entries stay unchanged. */
	add(places: readonly ActiveChannel[]): void {
		const fresh = places.filter((place) => !this.#places.has(nameOf(place)));
		for (const place of fresh.toReversed()) this.#use(place);
		if (fresh.length > 0) this.#saved.changed();
	}

	/** Removes an entry that the bot can no longer read. */
	forget(place: ActiveChannel): void {
		if (this.#places.delete(nameOf(place))) this.#saved.changed();
	}

	/** Saves all changes. Resolves when saving has succeeded or failed. */
	close(): Promise<void> {
		return this.#saved.close();
	}

	#use(place: ActiveChannel): boolean {
		const name = nameOf(place);
		const before = this.#places.get(name);
		this.#places.delete(name);
		this.#places.set(name, before?.us ? before : place);
		this.#drop();
		return before === undefined;
	}

	#drop(): void {
		for (const [isUs, maxPlaces] of [
			[true, maximum.us],
			[false, maximum.others],
		] as const) {
			const names = [...this.#places].filter(([, { us = false }]) => us === isUs).map(([name]) => name);
			for (const name of names.slice(0, Math.max(0, names.length - maxPlaces))) this.#places.delete(name);
		}
	}
}

function channelsOf({
	room,
	message,
	address,
	ourThread,
}: Extract<InboundEvent, { type: "message" }>): ActiveChannel[] {
	const { channel, kind } = room;
	const thread = room.thread === undefined ? undefined : readMessageId(room.thread)?.ts;
	const isTop = thread === undefined || room.thread === message;
	const isAddressed = kind === "direct" || address.us || ourThread;
	const us = isAddressed && ({ us: true } as const);
	return definedItems([
		isTop ? { channel, ...us } : undefined,
		thread !== undefined && isAddressed ? { channel, thread, ...us } : undefined,
	]);
}

/** Returns the key of an entry: `CHANNEL`, or `CHANNEL/THREAD`. */
export function nameOf({ channel, thread }: ActiveChannel): string {
	return thread === undefined ? channel : `${channel}/${thread}`;
}
