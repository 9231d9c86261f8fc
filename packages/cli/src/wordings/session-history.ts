import type { OzzieEvent } from "@parley/protocol";

/** An event of a transcript. A message that started a turn has its number, which `parley sessions fork --at` takes. */
interface NumberedEvent {
	readonly event: OzzieEvent;
	readonly number: number | undefined;
}

/** Prepares the events of one session, from its first one, for a transcript. */
export class SessionHistory {
	#isFork = false;
	#messages = 0;

	/** Messages of a fork are not marked as imported: its first event names the session that they come from. */
	receive(event: OzzieEvent): NumberedEvent {
		if (event.event === "session.created") this.#isFork = event.payload.forked_from !== undefined;
		if (event.event === "assistant.message") return { event: this.#plain(event), number: undefined };
		if (event.event !== "user.message") return { event, number: undefined };
		if (event.payload.steered) return { event: this.#plain(event), number: undefined };
		this.#messages += 1;
		return { event: this.#plain(event), number: this.#messages };
	}

	/** An event of a fork without the mark of imports, so that it has a row. Empty messages keep the mark, and have no row. */
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
