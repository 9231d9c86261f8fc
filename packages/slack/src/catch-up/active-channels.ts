import { type Clock, definedItems, type Logger } from "@parley/base";
import { type InboundEvent, LateSave, type StoredValue } from "@parley/connector";
import { readMessageId } from "../vocabulary/message-id.ts";

/** A channel, or a thread in it by its timestamp. */
export interface ActiveChannel {
	readonly channel: string;
	readonly thread?: string;
	/** Something was said there that was for us, whether everything there is or not. */
	readonly us?: true;
}

/** How many are kept in which we were spoken to, and of all others: there those that were the longest without a word go. */
const most = { us: 150, others: 50 } as const;

/** Where something was said, over restarts: what was missed is read there. */
export class ActiveChannels {
	readonly #places: Map<string, ActiveChannel>;
	readonly #kept: LateSave;

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
		this.#kept = new LateSave({ save, what: "where Slack was heard", clock, log });
	}

	/** Where we were spoken to, then all others, the last used first: much is said that is not for us. */
	get all(): readonly ActiveChannel[] {
		const all = [...this.#places.values()].reverse();
		return [...all.filter(({ us }) => us), ...all.filter(({ us }) => !us)];
	}

	/** An inbound event is durably taken. Resolves at once, but for the first one of a place when that is written. */
	async heard(inbound: InboundEvent): Promise<void> {
		if (inbound.type !== "message") return;
		const isNew = channelsOf(inbound)
			.map((place) => this.#use(place))
			.includes(true);
		if (!isNew) return this.#kept.changed();
		await this.#kept.written();
	}

	/** Places that were used without that it was noted, the last used first. */
	know(places: readonly ActiveChannel[]): void {
		const fresh = places.filter((place) => !this.#places.has(nameOf(place)));
		for (const place of fresh.toReversed()) this.#use(place);
		if (fresh.length > 0) this.#kept.changed();
	}

	/** It can be read no more. */
	forget(place: ActiveChannel): void {
		if (this.#places.delete(nameOf(place))) this.#kept.changed();
	}

	/** Resolves when all is written, or cannot be. */
	close(): Promise<void> {
		return this.#kept.close();
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
		for (const [isUs, mostOfThem] of [
			[true, most.us],
			[false, most.others],
		] as const) {
			const names = [...this.#places].filter(([, { us = false }]) => us === isUs).map(([name]) => name);
			for (const name of names.slice(0, Math.max(0, names.length - mostOfThem))) this.#places.delete(name);
		}
	}
}

/** What is said at the top is read with the channel, and its thread by itself where that is ours. */
function channelsOf({
	room,
	message,
	address,
	ourThread,
}: Extract<InboundEvent, { type: "message" }>): ActiveChannel[] {
	const { channel, kind } = room;
	const thread = room.thread === undefined ? undefined : readMessageId(room.thread)?.ts;
	const isTop = thread === undefined || room.thread === message;
	const isOurs = kind === "direct" || address.us || ourThread;
	const us = isOurs && ({ us: true } as const);
	return definedItems([
		isTop ? { channel, ...us } : undefined,
		thread !== undefined && isOurs ? { channel, thread, ...us } : undefined,
	]);
}

/** What a place is known by. */
export function nameOf({ channel, thread }: ActiveChannel): string {
	return thread === undefined ? channel : `${channel}/${thread}`;
}
