import { type Editor, emptyEditor, type Key, pressKey } from "./editor.ts";

/** A search in earlier entries, newest first. */
export interface HistorySearch {
	readonly query: Editor;
	/** Index of the found entry, or -1. */
	readonly place: number;
}

/** Effect of a key in a search. The search continues, ends with an entry, or ends without an entry. */
export type SearchStep =
	| { readonly kind: "search"; readonly search: HistorySearch }
	| { readonly kind: "found"; readonly entry: string }
	| { readonly kind: "cancelled" };

export const emptySearch: HistorySearch = { query: emptyEditor(), place: -1 };

export function pressSearchKey(search: HistorySearch, key: Key, history: readonly string[]): SearchStep {
	const { name, ctrl } = key;
	if (name === "escape" || (ctrl && (name === "c" || name === "g"))) return { kind: "cancelled" };
	if (ctrl && name === "r") return { kind: "search", search: find(search.query, history, search.place - 1) };
	if (["return", "tab", "left", "right", "home", "end"].includes(name)) {
		const entry = history[search.place];
		return entry === undefined ? { kind: "cancelled" } : { kind: "found", entry };
	}
	if (name === "up" || name === "down") return { kind: "search", search };
	const query = pressKey(search.query, key);
	return { kind: "search", search: find(query, history, history.length - 1) };
}

/** Repeats the search in another history, starting at its newest entry. */
export function searchNext({ query }: HistorySearch, history: readonly string[]): HistorySearch {
	return find(query, history, history.length - 1);
}

/**
 * Finds the newest match up to the index `from`. If no entry up to `from` matches, finds the newest match in the
 * complete history.
 */
function find(query: Editor, history: readonly string[], from: number): HistorySearch {
	const text = query.text.toLowerCase();
	if (text === "") return { query, place: -1 };
	const matches = (entry: string): boolean => entry.toLowerCase().includes(text);
	const older = history.slice(0, Math.max(0, from + 1)).findLastIndex(matches);
	return { query, place: older >= 0 ? older : history.findLastIndex(matches) };
}
