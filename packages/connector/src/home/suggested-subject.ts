import { hash } from "node:crypto";

interface SuggestedRequest {
	readonly prompt: string;
	/** Changes after each press on the page: presses with the same round and request are one. */
	readonly round: string;
}

/** Subject of the button of a suggested request. It has no text of the request, because ids of controls are short. */
export function writeSuggested({ prompt, round }: SuggestedRequest): string {
	return `${round}.${digestOf(prompt)}`;
}

/** Whether the button with this subject is that of a request. */
export function isSuggested(subject: string, prompt: string): boolean {
	return subject.endsWith(`.${digestOf(prompt)}`);
}

/** Identity of a request among those that a page suggests: 96 bits. */
function digestOf(prompt: string): string {
	return hash("sha256", prompt, "base64url").slice(0, 16);
}
