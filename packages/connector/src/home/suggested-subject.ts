import { hash } from "node:crypto";

/** Subject of the button of a suggested request. It has no text of the request, because ids of controls are short. */
interface SuggestedSubject {
	/** Changes after each press on the page: presses with the same round and request are one. */
	readonly round: string;
	/** See `digestOf`. */
	readonly digest: string;
}

export function writeSuggested({
	prompt,
	round,
}: {
	readonly prompt: string;
	readonly round: string;
}): string {
	return `${round}.${digestOf(prompt)}`;
}

export function readSuggested(subject: string): SuggestedSubject {
	const [round = "", digest = ""] = subject.split(".");
	return { round, digest };
}

/** Identity of a request among those that a page suggests: 96 bits. */
export function digestOf(prompt: string): string {
	return hash("sha256", prompt, "base64url").slice(0, 16);
}
