import { expect, test } from "vitest";
import { columnsOf } from "./columns.ts";

test.each([
	["abc", 3],
	["名前", 4],
	["ﾊﾝ", 2],
	["한글", 4],
	["e\u0301", 1],
	["👩‍👩‍👧‍👦", 2],
	["❤️", 2],
	["a\u200bb", 2],
	["𠮷", 2],
])("%j takes %d columns", (text, columns) => {
	expect(columnsOf(text)).toBe(columns);
});
