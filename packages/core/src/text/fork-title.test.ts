import { expect, test } from "vitest";
import { forkTitle } from "./fork-title.ts";

test.each([
	["", ""],
	["A leak", "A leak (fork)"],
	["A leak (fork)", "A leak (fork 2)"],
	["A leak (fork 9)", "A leak (fork 10)"],
	["A leak (fork) again", "A leak (fork) again (fork)"],
	["(fork)", "(fork) (fork)"],
])("the title of a fork of %j is %j", (title, forked) => {
	expect(forkTitle(title)).toBe(forked);
});
