import type { Clock, Timer } from "@parley/base";
import type { Progress } from "@parley/protocol";
import { oneLine } from "../conversation/vocabulary/plain.ts";
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
		readonly outbox: { readonly typing: Outbox["typing"] };
		readonly clock: Clock;
		readonly conversation: string;
	};
	#run: string | undefined;
	#until = 0;
	#doing = "";
	#shownAt = Number.NEGATIVE_INFINITY;
	#timer: Timer | undefined;

	constructor(parts: {
		readonly outbox: { readonly typing: Outbox["typing"] };
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

/** Characters of a file's name. */
const mostName = 60;

/** Tools whose subject is a file that everybody in the room may hear of. */
const fileTools: ReadonlySet<string> = new Set(["write_file", "edit_file"]);

/**
 * Progress of the agent, to follow its name: "is writing notes.md…"; "" if there is none. Thoughts, commands and
 * texts stay out: a room reads the answer.
 */
export function progressWords(progress: Progress | undefined): string {
	if (progress === undefined) return "";
	if (progress.type === "thinking") return "is thinking…";
	const { name, subject } = progress;
	if (!fileTools.has(name)) return `is preparing ${oneLine(name, mostName)}…`;
	const file = subject?.split(/[\\/]/).at(-1) ?? "";
	return file === "" ? "is writing a file…" : `is writing ${oneLine(file, mostName)}…`;
}
