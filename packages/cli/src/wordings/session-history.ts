import type { OzzieEvent } from "@parley/protocol";

/** An event. A message that started a run has a number for `parley sessions fork --at`. */
interface NumberedEvent {
	readonly event: OzzieEvent;
	readonly number: number | undefined;
}

/** Prepares the events of one session for a transcript. The events must start with the first event. */
export class SessionHistory {
	#isFork = false;
	#messages = 0;

	/**
	 * Processes an event, and returns it for the transcript. In a fork, messages with text lose the import mark,
	 * because the first event names the original session.
	 */
	receive(event: OzzieEvent): NumberedEvent {
		if (event.event === "session.created") this.#isFork = event.payload.forked_from !== undefined;
		if (event.event === "assistant.message") return { event: this.#plain(event), number: undefined };
		if (event.event !== "user.message") return { event, number: undefined };
		if (event.payload.steered) return { event: this.#plain(event), number: undefined };
		this.#messages += 1;
		return { event: this.#plain(event), number: this.#messages };
	}

	/**
	 * Removes the import mark in a fork, so that the rows of the event do not contain `(imported)`. An empty message
	 * keeps the mark, so that it has no rows.
	 */
	#plain(event: Extract<OzzieEvent, { event: "user.message" | "assistant.message" }>): OzzieEvent {
		if (!this.#isFork || event.payload.content === "") return event;
		if (event.event === "user.message") {
			const { imported: _imported, ...payload } = event.payload;
			return { ...event, payload };
		}
		const { imported: _imported, ...payload } = event.payload;
		return { ...event, payload };
	}
}
