import { expect, test } from "vitest";
import { firstWithin, newestWithin } from "./paging.ts";

test.each([
	[["aa", "b", "cc"], 3, ["b", "cc"]],
	[["aa", "b", "cc"], 2, ["cc"]],
	[["a", "cc"], 1, ["cc"]],
	[["a", "b"], 9, ["a", "b"]],
	[[], 9, []],
])("the newest of %j within %i bytes are %j", (items, bytes, remaining) => {
	expect(newestWithin(items, (item) => item.length, bytes)).toEqual(remaining);
});

test.each([
	[["aa", "b", "cc"], 3, ["aa", "b"]],
	[["aa", "b", "cc"], 1, ["aa"]],
	[["a", "b"], 9, ["a", "b"]],
	[[], 9, []],
])("the first of %j within %i bytes are %j", (items, bytes, remaining) => {
	expect(firstWithin(items, (item) => item.length, bytes)).toEqual(remaining);
});
