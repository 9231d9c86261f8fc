import { visibleLine } from "../text/visible.ts";
import { UsageError } from "./usage.ts";

/** With fewer, an id is met by chance: `task_` alone begins all of them. */
const fewestCharacters = 4;

/** Whether the id is meant: written whole, or by how its part behind the prefix begins, with or without the prefix. */
export function beginsId(id: string, given: string): boolean {
	const prefix = id.slice(0, id.indexOf("_") + 1);
	const beginning = given.startsWith(prefix) ? given.slice(prefix.length) : given;
	const isLong = beginning.length >= fewestCharacters;
	return given === id || (isLong && id.slice(prefix.length).startsWith(beginning));
}

/** Throws where something this short names no id, whatever there is. */
export function requireLongId(given: string): void {
	if (given.slice(given.indexOf("_") + 1).length >= fewestCharacters) return;
	const shown = JSON.stringify(visibleLine(given));
	throw new UsageError(
		`${shown} is too short for an id: at least ${fewestCharacters} characters of it, beside its prefix, say which one is meant`,
	);
}

const idCharacters = 6;

/** Of an id: enough to tell a few apart, and to name one to the command. */
export function shortId(id: string, characters = idCharacters): string {
	return id.slice(0, id.indexOf("_") + 1 + characters);
}

/** Ids that are shortened, but not so far that two of these begin alike. */
export function shortIds(ids: readonly string[]): (id: string) => string {
	const all = new Set(ids);
	let characters = idCharacters;
	const isClear = (): boolean => new Set(Array.from(all, (id) => shortId(id, characters))).size === all.size;
	while (!isClear()) characters += 1;
	return (id) => shortId(id, characters);
}
