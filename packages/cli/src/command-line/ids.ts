import { visibleLine } from "../text/visible.ts";
import { commandLineTexts } from "../texts/command-line.ts";
import { UsageError } from "./usage.ts";

/** Minimum length of an abbreviated id without its prefix. A shorter text could match by chance. */
const fewestCharacters = 4;

/**
 * Whether the text is the complete id, or at least 4 characters from the beginning of the part after the prefix. The
 * text may include the prefix.
 */
export function beginsId(id: string, given: string): boolean {
	const prefix = id.slice(0, id.indexOf("_") + 1);
	const beginning = given.startsWith(prefix) ? given.slice(prefix.length) : given;
	const isLong = beginning.length >= fewestCharacters;
	return given === id || (isLong && id.slice(prefix.length).startsWith(beginning));
}

/** Throws if the text is too short for an abbreviated id. */
export function requireLongId(given: string): void {
	if (given.slice(given.indexOf("_") + 1).length >= fewestCharacters) return;
	const shown = JSON.stringify(visibleLine(given));
	throw new UsageError(commandLineTexts.shortId({ id: shown, least: fewestCharacters }));
}

const idCharacters = 6;

/** Returns the prefix of an id, and the first `characters` characters after the prefix. */
export function shortId(id: string, characters = idCharacters): string {
	return id.slice(0, id.indexOf("_") + 1 + characters);
}

/** Returns a function that shortens an id of the list. Each shortened id stays unique in the list. */
export function shortIds(ids: readonly string[]): (id: string) => string {
	const all = new Set(ids);
	let characters = idCharacters;
	const isClear = (): boolean => new Set(Array.from(all, (id) => shortId(id, characters))).size === all.size;
	while (!isClear()) characters += 1;
	return (id) => shortId(id, characters);
}
