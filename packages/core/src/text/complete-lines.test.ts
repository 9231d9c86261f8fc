import { expect, test } from "vitest";
import { completeLines } from "./visible.ts";

test.each([
	["", [], false],
	["a\nb\n", ["a", "b"], false],
	["a\nb", ["a", "b"], false],
	["a\nb\nc\n[… 12 bytes left out …]\nd\n", ["a", "b"], true],
	["[… 12 bytes left out …]\nd\n", [], true],
	["a:[… 12 bytes left out …]\nd\n", ["a:[… 12 bytes left out …]", "d"], false],
])("%j has these complete lines", (output, lines, cut) => {
	expect(completeLines({ output })).toEqual({ lines, cut });
});
