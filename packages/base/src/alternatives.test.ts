import { expect, test } from "vitest";
import { alternatives } from "./alternatives.ts";

test.each([
	[[], ""],
	[["a"], "a"],
	[["a", "b"], "a or b"],
	[["a", "b", "c"], "a, b or c"],
])("%j is written as %j", (names, text) => {
	expect(alternatives(names)).toBe(text);
});
