import { expect, test } from "vitest";
import { nearestEffort } from "./server-traits.ts";

test.each([
	["high", "high"],
	["max", "high"],
	["minimal", "low"],
	["none", "none"],
] as const)("the effort %s becomes %s at most servers", (expected, sent) => {
	expect(nearestEffort(expected, ["none", "low", "medium", "high"])).toBe(sent);
});

test("a server that only turns thinking on gets the next higher effort", () => {
	expect(nearestEffort("low", ["none", "high"])).toBe("high");
	expect(nearestEffort("low", [])).toBeUndefined();
});
