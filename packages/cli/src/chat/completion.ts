/** Part of a line before the cursor that the chat can complete. */
export interface Beginning {
	readonly kind: "command" | "model" | "file";
	/** Index of the part's first character in the line. */
	readonly start: number;
	readonly text: string;
}

/**
 * Returns the part of the text before the cursor that Tab can complete: a command, the argument of `/model`, or a
 * file after `@`. Returns undefined without such a part.
 */
export function completableIn(before: string): Beginning | undefined {
	if (/^\/\S*$/.test(before)) return { kind: "command", start: 1, text: before.slice(1) };
	const model = /^\/model\s+(\S*)$/.exec(before)?.[1];
	if (model !== undefined) return { kind: "model", start: before.length - model.length, text: model };
	const file = /(?:^|\s)@(\S*)$/.exec(before)?.[1];
	return file === undefined ? undefined : { kind: "file", start: before.length - file.length, text: file };
}

/** Returns the longest common prefix of the names. Returns "" if there are no names. */
export function commonBeginning(names: readonly string[]): string {
	let [common = ""] = names;
	for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
	return common;
}

/** Returns the names that start with `beginning`, sorted and without duplicates. */
export function namesWith(beginning: string, names: readonly string[]): string[] {
	return [...new Set(names)].filter((name) => name.startsWith(beginning)).toSorted();
}
