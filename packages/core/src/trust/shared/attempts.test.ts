import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Attempts } from "../people/pairing.ts";

test("each name has its own attempts per minute, and the next minute has new ones", () => {
	const clock = new ManualClock();
	const attempts = new Attempts(clock, 2);
	expect([attempts.countAttempt("a"), attempts.countAttempt("a"), attempts.countAttempt("a")]).toEqual([
		true,
		true,
		false,
	]);
	expect(attempts.countAttempt("b")).toBe(true);
	clock.advance(59_999);
	expect(attempts.countAttempt("a")).toBe(false);
	clock.advance(1);
	expect(attempts.countAttempt("a")).toBe(true);
});

test("invented names use no additional memory", () => {
	const attempts = new Attempts(new ManualClock(), 1);
	attempts.countAttempt("first");
	for (let name = 0; name < 9_999; name++) attempts.countAttempt(`made up ${name}`);
	expect(attempts.countAttempt("made up 9998")).toBe(false);
	expect(attempts.countAttempt("first")).toBe(true);
});
