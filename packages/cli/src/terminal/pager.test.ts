import { expect, test } from "vitest";
import { type Page, pageRows, pressPageKey } from "./pager.ts";

const rows = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
const size = { rows: 100, height: 10 };

function press(page: Page, ...names: readonly string[]): Page | undefined {
	return names.reduce<Page | undefined>(
		(now, name) => now && pressPageKey(now, { text: "", name, ctrl: false, meta: false }, size),
		page,
	);
}

test("shows the end first, and moves by rows and screens", () => {
	const page = { end: 100 };
	expect(pageRows(page, rows, 10)).toEqual(rows.slice(90));
	expect(press(page, "up", "up")).toEqual({ end: 98 });
	expect(press(page, "pageup", "down")).toEqual({ end: 92 });
	expect(press(page, "home", "up")).toEqual({ end: 10 });
	expect(press(page, "home", "end", "down")).toEqual({ end: 100 });
	expect(press({ end: Number.POSITIVE_INFINITY }, "up")).toEqual({ end: 99 });
	expect(press({ end: Number.POSITIVE_INFINITY }, "pageup")).toEqual({ end: 91 });
});

test("is closed by q, Esc and Ctrl-C, and by no other key", () => {
	expect(press({ end: 100 }, "q")).toBeUndefined();
	expect(press({ end: 100 }, "escape")).toBeUndefined();
	expect(pressPageKey({ end: 50 }, { text: "", name: "c", ctrl: true, meta: false }, size)).toBeUndefined();
	expect(press({ end: 50 }, "x")).toEqual({ end: 50 });
});

test("shows a short text completely", () => {
	expect(pageRows({ end: 3 }, ["a", "b", "c"], 10)).toEqual(["a", "b", "c"]);
});
