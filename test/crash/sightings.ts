import { type EventFrame, isOzzieEvent } from "@parley/protocol";
import { effectOf } from "./outcome.ts";

/** What one client has seen of each message so far: tells a test when a state is reached. */
export class Sightings {
	/** How many frames came. */
	frames = 0;
	readonly #begun = new Set<string>();
	readonly #ended = new Set<string>();
	readonly #asked = new Set<string>();
	readonly #words = new Map<string, number>();
	/** By session, the messages that have not ended, in the order of their runs. */
	readonly #open = new Map<string, string[]>();

	/** The message was accepted. */
	begun(id: string): boolean {
		return this.#begun.has(id);
	}

	/** Its run has ended. */
	ended(id: string): boolean {
		return this.#ended.has(id);
	}

	/** A person was asked about one of its calls. */
	asked(id: string): boolean {
		return this.#asked.has(id);
	}

	/** How many words of its `long:` came. */
	words(id: string): number {
		return this.#words.get(id) ?? 0;
	}

	take(frame: EventFrame): void {
		this.frames++;
		if (!isOzzieEvent(frame)) return;
		const open = this.#openOf(frame.session_id ?? "");
		const [current] = open;
		switch (frame.event) {
			case "user.message": {
				const id = doneOf(frame.payload.content);
				open.push(id);
				this.#begun.add(id);
				return;
			}
			case "assistant.message": {
				const id = doneOf(frame.payload.content);
				if (open.includes(id)) open.splice(open.indexOf(id), 1);
				this.#ended.add(id);
				return;
			}
			case "prompt.request":
				this.#asked.add(messageOf(effectOf(frame.payload.context.arguments) ?? ""));
				return;
			case "assistant.stream":
				// A word comes in two frames where a secret of the gateway could begin in it.
				if (current !== undefined && /^[ t\d]+$/.test(frame.payload.content)) {
					const begun = frame.payload.content.split("t").length - 1;
					this.#words.set(current, this.words(current) + begun);
				}
		}
	}

	#openOf(session: string): string[] {
		const known = this.#open.get(session);
		if (known) return known;
		const open: string[] = [];
		this.#open.set(session, open);
		return open;
	}
}

/** The message that an effect belongs to. */
export function messageOf(effect: string): string {
	return effect.replace(/-[ab]$/, "");
}

/** The message that a text ends, or is to end. */
function doneOf(content: string): string {
	return /(\S+) done$/.exec(content)?.[1] ?? "";
}
