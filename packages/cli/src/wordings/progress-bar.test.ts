import { expect, test } from "vitest";
import { progressBar } from "./task-words.ts";

test.each([
	[0, "░░░░   0%"],
	[24, "░░░░  24%"],
	[25, "█░░░  25%"],
	[99.9, "███░  99%"],
	[100, "████ 100%"],
	[250, "████ 100%"],
	[-1, "░░░░   0%"],
])("draws %d percent as %s", (percentage, bar) => {
	expect(progressBar(percentage, 4)).toBe(bar);
});
