import type { QueuedEvent } from "@parley/connector";
import type { Random } from "../../random.ts";

/** Number of oldest unacknowledged events from which most deliveries choose. */
const window = 3;

interface Passage {
	readonly event: QueuedEvent;
	/** Step of the network at which the event was first sent. */
	readonly sentAt: number;
	acknowledgedAt: number | undefined;
}

/**
 * Delivers platform events to a connector: out of order, several concurrently, and some of them twice. Repeats
 * unacknowledged events.
 */
export class Network {
	readonly faults: string[] = [];
	readonly #random: Random;
	readonly #events: readonly QueuedEvent[];
	readonly #unacknowledged: Set<QueuedEvent>;
	/** Events that were sent since the connector's database was created. */
	readonly #passages = new Map<string, Passage>();
	readonly #received = new Set<string>();
	#step = 0;

	constructor(random: Random, events: readonly QueuedEvent[]) {
		this.#random = random;
		this.#events = events;
		this.#unacknowledged = new Set(events);
	}

	get isQuiet(): boolean {
		return this.#unacknowledged.size === 0;
	}

	/** Delivers some events concurrently. Resolves when all of them are acknowledged. */
	async deliver(accept: (event: QueuedEvent) => Promise<boolean>): Promise<void> {
		await Promise.all(this.#next().map((event) => this.#pass(event, accept)));
	}

	/** Marks all events as unacknowledged, so that they are sent again, as if the connector read the platform's history. */
	loseDatabase(): void {
		this.#passages.clear();
		for (const event of this.#events) this.#unacknowledged.add(event);
	}

	receive({ id, conversation }: QueuedEvent): void {
		this.#received.add(id);
		const sentAt = this.#passages.get(id)?.sentAt ?? 0;
		for (const { event, acknowledgedAt } of this.#passages.values()) {
			// If event A was acknowledged before event B was sent, A must arrive before B in the same conversation.
			const isEarlier = acknowledgedAt !== undefined && acknowledgedAt < sentAt;
			if (!isEarlier || event.conversation !== conversation || this.#received.has(event.id)) continue;
			this.faults.push(`${id} of ${conversation} is received before ${event.id}`);
		}
	}

	#next(): readonly QueuedEvent[] {
		const due = this.#events.filter((event) => this.#unacknowledged.has(event)).slice(0, window);
		const kind = this.#random.below(10);
		if (due.length === 0 || kind === 0) return [this.#random.pick(this.#events)];
		if (kind === 1) return this.#events.slice(this.#random.below(this.#events.length)).slice(0, 5);
		const some = this.#random.shuffle(due).slice(0, this.#random.between(1, window));
		return this.#random.chance(0.1) ? [...some, ...some] : some;
	}

	async #pass(event: QueuedEvent, accept: (event: QueuedEvent) => Promise<boolean>): Promise<void> {
		this.#step += 1;
		const passage = this.#passages.get(event.id) ?? { event, sentAt: this.#step, acknowledgedAt: undefined };
		this.#passages.set(event.id, passage);
		await accept(event);
		this.#step += 1;
		passage.acknowledgedAt ??= this.#step;
		this.#unacknowledged.delete(event);
	}
}
