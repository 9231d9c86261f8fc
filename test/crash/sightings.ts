import { type EventFrame, isOzzieEvent } from "@parley/protocol";
import { effectOf } from "./outcome.ts";

/** Tracks the state of each message by the frames that clients have received. */
export class Sightings {
	frames = 0;
	readonly #accepted = new Set<string>();
	readonly #ended = new Set<string>();
	readonly #questions = new Set<string>();
	readonly #words = new Map<string, number>();
	/** Ids of messages without an ended run, by session, in the order of their runs. */
	readonly #open = new Map<string, string[]>();

	isAccepted(id: string): boolean {
		return this.#accepted.has(id);
	}

	ended(id: string): boolean {
		return this.#ended.has(id);
	}

	/** Whether a call of the message has required approval. */
	sawQuestion(id: string): boolean {
		return this.#questions.has(id);
	}

	/** Returns the number of received words of the message's `long:` command. */
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
				// The gateway sends a word in two frames if it may be the start of a secret.
				if (current !== undefined && /^[ t\d]+$/.test(frame.payload.content)) {
					const wordCount = frame.payload.content.split("t").length - 1;
					this.#words.set(current, this.words(current) + wordCount);
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

/** Returns the id of the message that requested this effect. */
export function messageOf(effect: string): string {
	return effect.replace(/-[ab]$/, "");
}

/** Returns the id before ` done` at the end of `content`, or an empty text. */
function doneOf(content: string): string {
	return /(\S+) done$/.exec(content)?.[1] ?? "";
}
