import type { Passing, Recorded, SessionEvent, TransientEvent } from "../vocabulary/event.ts";

/** Takes events of a session, in order; must not throw and must not block. */
export type Listener = (event: SessionEvent) => void;

interface Slot {
	events: readonly SessionEvent[] | undefined;
}

/** The reply that is being spoken. */
export interface OpenReply {
	readonly runId: string;
	readonly text: string;
}

/**
 * Emits the events of one session in order. A recorded event is emitted when its transaction is durable. A transient event
 * is emitted immediately, or after the recorded events that still wait.
 */
export class EventBus {
	readonly #sessionId: string;
	readonly #listeners = new Set<Listener>();
	readonly #waiting: Slot[] = [];
	#seq: number;
	#reply: { readonly runId: string; text: string } | undefined;

	constructor(sessionId: string, lastSeq: number) {
		this.#sessionId = sessionId;
		this.#seq = lastSeq;
	}

	/** The `seq` of the last recorded event that has left. */
	get seq(): number {
		return this.#seq;
	}

	get reply(): OpenReply | undefined {
		return this.#reply;
	}

	/** Reserves the next place for the events of a running transaction. */
	reserve(): (events: readonly Recorded[]) => void {
		const slot: Slot = { events: undefined };
		this.#waiting.push(slot);
		return (events) => {
			slot.events = events;
			this.#drain();
		};
	}

	pass(event: TransientEvent): void {
		const passing: Passing = { transient: true, sessionId: this.#sessionId, seq: this.#seq, event };
		if (this.#waiting.length === 0) this.#emit(passing);
		else this.#waiting.push({ events: [passing] });
	}

	listen(listener: Listener): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	#drain(): void {
		let slot = this.#waiting[0];
		while (slot?.events) {
			this.#waiting.shift();
			for (const event of slot.events) this.#emit(event);
			slot = this.#waiting[0];
		}
	}

	#emit(event: SessionEvent): void {
		const out = this.#follow(event);
		for (const listener of this.#listeners) listener(out);
	}

	#follow(event: SessionEvent): SessionEvent {
		if (!event.transient) {
			this.#seq = event.seq;
			return event;
		}
		const { event: passed } = event;
		if (passed.type === "text.started") this.#reply = { runId: passed.runId, text: "" };
		else if (passed.type === "text.ended") this.#reply = undefined;
		else if (passed.type === "text.delta" && this.#reply) this.#reply.text += passed.text;
		// The number of a passing event is that of the last recorded one that left before it.
		return event.seq === this.#seq ? event : { ...event, seq: this.#seq };
	}
}
