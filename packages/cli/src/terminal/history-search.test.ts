import { expect, test } from "vitest";
import type { Key } from "./editor.ts";
import { emptySearch, type HistorySearch, pressSearchKey, type SearchStep } from "./history-search.ts";

const history = ["run: npm test", "say: one", "run: npm start", "say: two"];
const key = (name: string, ctrl = false): Key => ({ text: "", name, ctrl, meta: false });
const typed = (text: string): Key => ({ text, name: text, ctrl: false, meta: false });

function press(...keys: readonly Key[]): SearchStep {
	let search: HistorySearch = emptySearch;
	for (const one of keys) {
		const step = pressSearchKey(search, one, history);
		if (step.kind !== "search") return step;
		search = step.search;
	}
	return { kind: "search", search };
}

test("finds the newest entry that contains the text, and older ones", () => {
	const npm = [..."NPM"].map(typed);
	expect(press(...npm, key("return"))).toEqual({ kind: "found", entry: "run: npm start" });
	expect(press(...npm, key("r", true), key("tab"))).toEqual({ kind: "found", entry: "run: npm test" });
	expect(press(...npm, key("r", true), key("r", true), key("return"))).toMatchObject({
		entry: "run: npm start",
	});
});

test("ends without an entry at Esc, Ctrl-G, Ctrl-C, and Enter without a match", () => {
	expect(press(typed("s"), key("escape"))).toEqual({ kind: "cancelled" });
	expect(press(typed("s"), key("g", true))).toEqual({ kind: "cancelled" });
	expect(press(typed("s"), key("c", true))).toEqual({ kind: "cancelled" });
	expect(press(typed("#"), key("return"))).toEqual({ kind: "cancelled" });
});

test("searches again after the text was shortened", () => {
	const step = press(typed("o"), typed("#"), key("backspace"), key("return"));
	expect(step).toEqual({ kind: "found", entry: "say: two" });
});
