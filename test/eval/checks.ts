import type { Outcome } from "./task.ts";

/** Returns a fault for each text that the answer does not contain, ignoring case. */
export function answers({ answer }: Outcome, ...texts: readonly string[]): string[] {
	const lower = answer.toLowerCase();
	return texts
		.filter((text) => !lower.includes(text.toLowerCase()))
		.map((text) => `the answer does not contain "${text}"`);
}

/** Returns a fault unless the file has exactly this text, ignoring white space at its start and end. */
export async function hasText(outcome: Outcome, path: string, text: string): Promise<string[]> {
	const content = await outcome.read(path);
	return content?.trim() === text.trim() ? [] : [`${path} is ${JSON.stringify(content)}`];
}

export async function contains(outcome: Outcome, path: string, text: string): Promise<string[]> {
	const content = await outcome.read(path);
	return content?.includes(text) ? [] : [`${path} does not contain ${JSON.stringify(text)}`];
}

/** Returns a fault for each tool call with this text in its arguments. */
export function neverTried({ calls }: Outcome, text: string): string[] {
	return calls
		.filter((call) => JSON.stringify(call.arguments).includes(text))
		.map(({ tool }) => `${tool} was called with "${text}"`);
}
