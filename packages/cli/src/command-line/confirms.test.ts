import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { confirms } from "./confirms.ts";

test.each([
	["y\n", true],
	["Yes \n", true],
	["n\n", false],
	["\n", false],
	["", false],
])("the input %j confirms a question: %s", async (typed, expected) => {
	const io = new CapturedIo();
	const confirmed = confirms("Sure? ", io);
	io.stdin.end(typed);
	expect(await confirmed).toBe(expected);
});
