import { hash } from "node:crypto";

interface SuggestedRequest {
	readonly prompt: string;
	/**
	 * Id that changes after each press on the page. Presses with the same round and the same prompt send one
	 * request.
	 */
	readonly round: string;
}

/**
 * Returns the subject of a button for a suggested request. The subject contains a digest instead of the text,
 * because the length of a control's id is limited.
 */
export function writeSuggested({ prompt, round }: SuggestedRequest): string {
	return `${round}.${digestOf(prompt)}`;
}

/** Whether the button with the subject `subject` sends the request `prompt`. */
export function isSuggested(subject: string, prompt: string): boolean {
	return subject.endsWith(`.${digestOf(prompt)}`);
}

function digestOf(prompt: string): string {
	// 96 bits distinguish the suggested requests of a page.
	return hash("sha256", prompt, "base64url").slice(0, 16);
}
