import { expect, test } from "vitest";
import { type Play, report, type Step } from "./play.ts";

const command: Step = { kind: "command", text: "parley", seconds: 2 };

function within(play: Partial<Play>): boolean {
	return report({ steps: [command, command, command], seconds: 90, ...play }).isWithin;
}

test("three commands in 90 seconds are within the limits, and nothing above", () => {
	expect(within({})).toBe(true);
	expect(within({ seconds: 90.1 })).toBe(false);
	expect(within({ steps: [command, command, command, command] })).toBe(false);
	expect(within({ steps: [{ ...command, kind: "answer" }, command, command, command] })).toBe(true);
});

test("the table has each step and the limits", () => {
	expect(report({ steps: [command, command, command], seconds: 2.04 }).rows).toEqual([
		...Array<string>(3).fill("   2.0 s  command parley"),
		"   2.0 s  in all  3 commands; allowed: 90 s, 3 commands",
	]);
});
