import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { RateLimit } from "./rate-limit.ts";

function passing(limit: RateLimit, key: unknown): number {
	for (let count = 0; ; count++) {
		try {
			limit.count(key);
		} catch (reason) {
			expect(reason).toMatchObject({ code: "resource_exhausted", message: "rate limited" });
			return count;
		}
	}
}

test("100 requests pass at once, then 50 each second", () => {
	const clock = new ManualClock();
	const limit = new RateLimit(clock);
	expect(passing(limit, "a")).toBe(100);
	clock.advance(20);
	expect(passing(limit, "a")).toBe(1);
	clock.advance(1_000);
	expect(passing(limit, "a")).toBe(50);
	clock.advance(60_000);
	expect(passing(limit, "a")).toBe(100);
});

test("a refused request does not count", () => {
	const clock = new ManualClock();
	const limit = new RateLimit(clock);
	passing(limit, "a");
	for (let again = 0; again < 1_000; again++) expect(() => limit.count("a")).toThrow("rate limited");
	clock.advance(1_000);
	expect(passing(limit, "a")).toBe(50);
});

test("each session has its own limit", () => {
	const limit = new RateLimit(new ManualClock());
	expect(passing(limit, "a")).toBe(100);
	expect(passing(limit, "b")).toBe(100);
	const connection = {};
	expect(passing(limit, connection)).toBe(100);
});

test("a limit stays while thousands of other sessions are added and removed", () => {
	const clock = new ManualClock();
	const limit = new RateLimit(clock);
	passing(limit, "busy");
	for (let other = 0; other < 10_000; other++) limit.count(`other ${other}`);
	expect(passing(limit, "busy")).toBe(0);
	clock.advance(1_000);
	expect(passing(limit, "busy")).toBe(50);
});
