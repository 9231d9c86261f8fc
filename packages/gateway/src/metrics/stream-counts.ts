import type { Family } from "./exposition.ts";
import { counter } from "./families.ts";
import { Tally } from "./tally.ts";

/** Why a client got no event stream. */
export type StreamRefusal = "too_many" | "draining";

/** What happened to the clients of event streams. How many there are, and what waits for them, is looked at. */
export class StreamCounts {
	readonly #refused = new Tally();
	readonly #slow = new Tally();
	readonly #lost = new Tally();

	constructor() {
		for (const tally of [this.#slow, this.#lost]) tally.add({}, 0);
	}

	refused(reason: StreamRefusal): void {
		this.#refused.add({ reason });
	}

	/** A client was let go because it read too slowly. */
	slowReader(): void {
		this.#slow.add();
	}

	/** What is not kept, and waited for a client that was let go: it cannot have it again. */
	lost(events: number): void {
		this.#lost.add({}, events);
	}

	families(): Family[] {
		return [
			counter("parley_event_streams_refused_total", "Event streams that were not begun.", this.#refused),
			counter(
				"parley_event_streams_slow_closed_total",
				"Event streams ended because their client read too slowly.",
				this.#slow,
			),
			counter(
				"parley_event_stream_events_lost_total",
				"Events, of those that are not kept, which such clients did not get.",
				this.#lost,
			),
		];
	}
}
