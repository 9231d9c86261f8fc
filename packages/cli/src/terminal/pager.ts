import type { Key } from "./editor.ts";

/**
 * Position in a text that is shown on the full screen. `end` is the index of the row after the last visible row. An
 * index above the number of rows shows the end of the text.
 */
export interface Page {
	readonly end: number;
}

interface PageSize {
	/** Number of rows of the text. */
	readonly rows: number;
	/** Number of screen rows for the text. */
	readonly height: number;
}

const lineKeys: Readonly<Record<string, -1 | 1>> = { up: -1, k: -1, down: 1, j: 1, return: 1 };
const pageKeys: Readonly<Record<string, -1 | 1>> = { pageup: -1, b: -1, pagedown: 1, space: 1 };

/** Returns the page after a key, or undefined if the key closes the page. An unknown key has no effect. */
export function pressPageKey(page: Page, { name, ctrl }: Key, { rows, height }: PageSize): Page | undefined {
	if (name === "q" || name === "escape" || (ctrl && ["c", "d", "o"].includes(name))) return undefined;
	const least = Math.min(rows, height);
	const ends: Readonly<Record<string, number>> = { home: least, end: rows, g: least };
	const moved = (lineKeys[name] ?? 0) + (pageKeys[name] ?? 0) * Math.max(1, height - 1);
	const end = ends[name] ?? Math.min(rows, page.end) + moved;
	return { end: Math.max(least, Math.min(rows, end)) };
}

export function pageRows(page: Page, rows: readonly string[], height: number): string[] {
	const end = Math.min(rows.length, Math.max(page.end, Math.min(rows.length, height)));
	return rows.slice(Math.max(0, end - height), end);
}
