import type { Clock, Timer } from "@parley/base";
import type { Outbox } from "../outbox/outbox.ts";

/** Discord shows it for ten seconds (https://docs.discord.com/developers/resources/channel#trigger-typing-indicator). */
const everyMs = 8000;
/** What is answered within this needs no sign that it will be. */
const firstMs = 400;
/** Whoever still works then tells it in other ways, or waits for a person. */
const mostMs = 5 * 60_000;

/** Shows in one conversation that somebody is at work, for as long as that is so, and never longer than five minutes a run. */
export class Typing {
	readonly #parts: {
		readonly outbox: Pick<Outbox, "typing">;
		readonly clock: Clock;
		readonly conversation: string;
	};
	#run: string | undefined;
	#until = 0;
	#timer: Timer | undefined;

	constructor(parts: {
		readonly outbox: Pick<Outbox, "typing">;
		readonly clock: Clock;
		readonly conversation: string;
	}) {
		this.#parts = parts;
	}

	/** The run at work, or none. */
	show(run: string | undefined): void {
		if (run === this.#run) return;
		this.#run = run;
		this.#timer?.cancel();
		if (run === undefined) return;
		this.#until = this.#parts.clock.monotonic() + mostMs;
		this.#timer = this.#parts.clock.after(firstMs, this.#again);
	}

	readonly #again = (): void => {
		const { outbox, clock, conversation } = this.#parts;
		if (clock.monotonic() >= this.#until) return;
		// It never rejects: what a platform refuses here is not tried again.
		void outbox.typing(conversation);
		this.#timer = clock.after(everyMs, this.#again);
	};
}
