import type { Message } from "../../vocabulary/message.ts";
import type { ModelEvent, ModelRequest } from "../../vocabulary/model.ts";

const CHARACTERS_PER_TOKEN = 4;

/** Tokens by the offline model's measure: a quarter of the characters (UTF-16 units), rounded up. */
export function tokensOf(characters: number): number {
	return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The characters of everything in a request that a model would read. */
export function charactersIn({ system, messages, tools }: ModelRequest): number {
	const described = tools.map(
		({ name, description, parameters }) => name.length + description.length + jsonLength(parameters),
	);
	const spoken = messages.flatMap(({ content }) => content.map(charactersOf));
	return [...described, ...spoken].reduce((sum, count) => sum + count, system.length);
}

/** The characters of one block of a message, or of one event of a reply. Pieces of a call count with the whole call. */
export function charactersOf(part: Message["content"][number] | ModelEvent): number {
	switch (part.type) {
		case "text":
		case "thinking":
			return part.text.length;
		case "call":
			return part.name.length + jsonLength(part.arguments);
		// A picture is as dear as a page of text, whatever its size.
		case "image":
			return 4 * 1024;
		case "result":
			return part.text.length + (part.pictures?.length ?? 0) * 4 * 1024;
		default:
			return 0;
	}
}

function jsonLength(value: unknown): number {
	return JSON.stringify(value ?? null).length;
}
