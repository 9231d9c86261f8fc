import { createHash } from "node:crypto";
import { defined } from "@parley/base";
import type { OzzieEvent } from "./codec.ts";

/**
 * Returns the event for an observer. Replaces the token of a prompt, or of a suspended task, with a name. The same
 * token always gets the same name.
 */
export function hideToken<Event extends OzzieEvent>(happened: Event): Event {
	const { event } = happened;
	switch (event.type) {
		case "prompt.requested":
		case "prompt.shown": {
			const prompt = { ...event.prompt, token: nameOfToken(event.prompt.token) };
			return { ...happened, event: { ...event, prompt } };
		}
		case "prompt.voted": {
			const token = nameOfToken(event.token);
			const { changed, ...voted } = event;
			return {
				...happened,
				event: { ...voted, token, ...defined({ changed: changed && { ...changed, token } }) },
			};
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

/** Returns the name of a token. The token cannot be derived from the name. */
export function nameOfToken(token: string): string {
	return `hidden_${createHash("sha256").update(token).digest("hex").slice(0, 16)}`;
}
