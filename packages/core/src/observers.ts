import type { SessionEvent } from "./event.ts";

/** Takes events of all sessions, in the order of each; must not throw and must not block. */
export type Observer = (event: SessionEvent, owner: string) => void;

/** Who looks at everything that happens, whatever session it happens in. */
export class Observers {
	readonly #observers = new Set<Observer>();

	/** Adds one; call what is returned to let it go. */
	add(observer: Observer): () => void {
		this.#observers.add(observer);
		return () => this.#observers.delete(observer);
	}

	tell(event: SessionEvent, owner: string): void {
		for (const observer of this.#observers) observer(event, owner);
	}
}
