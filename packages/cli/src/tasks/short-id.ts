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
