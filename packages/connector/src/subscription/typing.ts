import type { Clock, Timer } from "@parley/base";
import type { Outbox } from "../outbox/outbox.ts";

/** Discord shows it for ten seconds (https://docs.discord.com/developers/resources/channel#trigger-typing-indicator). */
const everyMs = 8000;
/** What is answered within this needs no sign that it will be. */
const firstMs = 400;
/** A run that has shown nothing for so long waits for something else than its model. */
const mostMs = 5 * 60_000;
/** Between a sign and the next that says what the agent does. */
const wordsMs = 3000;

/**
 * Shows in one conversation that the agent is at work, and what it does, for as long as that is so, and never longer than
 * five minutes after the last that was heard of the run.
 */
export class Typing {
	readonly #parts: {
		readonly outbox: Pick<Outbox, "typing">;
		readonly clock: Clock;
		readonly conversation: string;
	};
	#run: string | undefined;
	#until = 0;
	#doing = "";
	#shownAt = Number.NEGATIVE_INFINITY;
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
		this.#doing = "";
		this.#timer?.cancel();
		if (run === undefined) return;
		this.#until = this.#parts.clock.monotonic() + mostMs;
		this.#shownAt = Number.NEGATIVE_INFINITY;
		this.#timer = this.#parts.clock.after(firstMs, this.#again);
	}

	/** Description of the current step of the run; "" if there is none. */
	does(words: string): void {
		const { clock } = this.#parts;
		const now = clock.monotonic();
		if (this.#run === undefined) return;
		const isOver = now >= this.#until;
		this.#until = now + mostMs;
		if (words === this.#doing && !isOver) return;
		this.#doing = words;
		// Before the first sign that one says it.
		if (this.#shownAt === Number.NEGATIVE_INFINITY) return;
		this.#timer?.cancel();
		this.#timer = clock.after(Math.max(0, this.#shownAt + wordsMs - now), this.#again);
	}

	readonly #again = (): void => {
		const { outbox, clock, conversation } = this.#parts;
		if (clock.monotonic() >= this.#until) return;
		this.#shownAt = clock.monotonic();
		// It never rejects: what a platform refuses here is not tried again.
		void outbox.typing(conversation, this.#doing);
		this.#timer = clock.after(everyMs, this.#again);
	};
}
