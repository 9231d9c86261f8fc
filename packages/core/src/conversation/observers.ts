import { authorize, isAuthorized } from "../vocabulary/authorize.ts";
import type { SessionEvent } from "../vocabulary/event.ts";
import type { Principal } from "../vocabulary/principal.ts";

/** Receives the events of all sessions. Events of one session are in order. Must not throw or block. */
export type Observer = (event: SessionEvent, owner: string) => void;

export class Observers {
	readonly #observers = new Set<Observer>();
	/** Observers that receive only recorded events, not every token of a reply. */
	readonly #ofRecorded = new Set<Observer>();

	/** Adds an observer. Returns a function that removes the observer. */
	add(observer: Observer): () => void {
		this.#observers.add(observer);
		return () => this.#observers.delete(observer);
	}

	addRecorded(observer: Observer): void {
		this.#ofRecorded.add(observer);
	}

	/** Adds an observer of events that the principal may see. Returns a function that removes the observer. */
	addFor(principal: Principal, observer: (event: SessionEvent) => void): () => void {
		authorize(principal, "event.read");
		return this.add((event, owner) => {
			const { sessionId } = event;
			if (isAuthorized(principal, "event.read", { owner, sessionId })) observer(event);
		});
	}

	notify(event: SessionEvent, owner: string): void {
		for (const observer of this.#observers) observer(event, owner);
		if (event.transient) return;
		for (const observer of this.#ofRecorded) observer(event, owner);
	}
}
