import { createHash } from "node:crypto";
import type { OzzieEvent } from "./codec.ts";

/** The event for somebody who only reads: tokens that answer prompts are replaced by names, the same for each token. */
export function hideToken<Event extends OzzieEvent>(happened: Event): Event {
	const { event } = happened;
	switch (event.type) {
		case "prompt.requested":
		case "prompt.shown": {
			const prompt = { ...event.prompt, token: nameOfToken(event.prompt.token) };
			return { ...happened, event: { ...event, prompt } };
		}
		case "prompt.answered":
		case "prompt.closed":
		case "prompt.reminded":
		case "task.suspended":
			return { ...happened, event: { ...event, token: nameOfToken(event.token) } };
		default:
			return happened;
	}
}

/** A name for a token that does not tell it. */
export function nameOfToken(token: string): string {
	return `hidden_${createHash("sha256").update(token).digest("hex").slice(0, 16)}`;
}
