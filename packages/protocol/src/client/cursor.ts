import { isOzzieEvent } from "../events.ts";
import type { EventFrame } from "../frame.ts";

/** `gap`: a frame before this one is missing, and this one must not be shown. */
export type Verdict = "new" | "repeat" | "gap";

/**
 * The place in one session up to which everything was received, across connections. The gateway shows prompts that
 * are still open again to whoever joins, transient or under their old seq: each is new once.
 */
export class Cursor {
	readonly #start: number;
	readonly #openPrompts = new Set<string>();
	#last: number;

	constructor(start: number) {
		this.#start = start;
		this.#last = start;
	}

	/** The seq of the last persisted frame that was received. */
	get last(): number {
		return this.#last;
	}

	/** Judges a frame and, where it is new, moves past it. */
	advance(frame: EventFrame): Verdict {
		const verdict = this.#judge(frame);
		if (verdict !== "new") return verdict;
		if (!frame.transient && frame.seq > this.#last) this.#last = frame.seq;
		this.#followPrompt(frame);
		return "new";
	}

	#judge(frame: EventFrame): Verdict {
		if (frame.seq > this.#last && !frame.transient) return frame.seq === this.#last + 1 ? "new" : "gap";
		const prompt = frame.event === "prompt.request" ? promptToken(frame) : undefined;
		if (prompt === undefined) return frame.transient ? "new" : "repeat";
		const received = frame.seq > this.#start && !frame.transient;
		return received || this.#openPrompts.has(prompt) ? "repeat" : "new";
	}

	#followPrompt(frame: EventFrame): void {
		const prompt = promptToken(frame);
		if (prompt === undefined) return;
		if (frame.event === "prompt.request") this.#openPrompts.add(prompt);
		else this.#openPrompts.delete(prompt);
	}
}

function promptToken(frame: EventFrame): string | undefined {
	if (!frame.event.startsWith("prompt.") || !isOzzieEvent(frame)) return undefined;
	return "token" in frame.payload ? frame.payload.token : undefined;
}
