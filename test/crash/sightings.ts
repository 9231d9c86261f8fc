import { type EventFrame, isOzzieEvent } from "@parley/protocol";
import { effectOf } from "./outcome.ts";

/** Tracks the frames of each message that one client has received. A test uses it to detect when a state is reached. */
export class Sightings {
	frames = 0;
	readonly #accepted = new Set<string>();
	readonly #ended = new Set<string>();
	readonly #questions = new Set<string>();
	readonly #words = new Map<string, number>();
	/** The unfinished messages of each session, in the order of their runs. */
	readonly #open = new Map<string, string[]>();

	/** Whether the gateway has accepted the message. */
	isAccepted(id: string): boolean {
		return this.#accepted.has(id);
	}

	ended(id: string): boolean {
		return this.#ended.has(id);
	}

	/** Whether one of the message's calls requires approval. */
	sawQuestion(id: string): boolean {
		return this.#questions.has(id);
	}

	/** Number of received words of the message's `long:` command. */
	words(id: string): number {
		return this.#words.get(id) ?? 0;
	}

	receive(frame: EventFrame): void {
		this.frames++;
		if (!isOzzieEvent(frame)) return;
		const open = this.#openOf(frame.session_id ?? "");
		const [current] = open;
		switch (frame.event) {
			case "user.message": {
				const id = doneOf(frame.payload.content);
				open.push(id);
				this.#accepted.add(id);
				return;
			}
			case "assistant.message": {
				const id = doneOf(frame.payload.content);
				if (open.includes(id)) open.splice(open.indexOf(id), 1);
				this.#ended.add(id);
				return;
			}
			case "prompt.request":
				this.#questions.add(messageOf(effectOf(frame.payload.context.arguments) ?? ""));
				return;
			case "assistant.stream":
				// A word arrives in two frames if a registered secret of the gateway could start in it.
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

/** The id of the message that has this effect. */
export function messageOf(effect: string): string {
	return effect.replace(/-[ab]$/, "");
}

/** The id of a message, from the text of the message or of its answer. */
function doneOf(content: string): string {
	return /(\S+) done$/.exec(content)?.[1] ?? "";
}
