import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { FailedAuthLimiter } from "./limiter.ts";

function failTimes(limiter: FailedAuthLimiter, key: string, times: number): number[] {
	return Array.from({ length: times }, () => limiter.fail(key));
}

test("ten failures a minute are allowed, and the next one locks the key for five minutes", () => {
	const clock = new ManualClock();
	const limiter = new FailedAuthLimiter(clock);
	expect(failTimes(limiter, "a", 10)).toEqual(new Array(10).fill(0));
	clock.advance(59_999);
	expect(limiter.fail("a")).toBe(300_000);
	clock.advance(200_000);
	expect(limiter.fail("a")).toBe(100_000);
	clock.advance(99_999);
	expect(limiter.fail("a")).toBe(1);
	clock.advance(1);
	expect(failTimes(limiter, "a", 11)).toEqual([...new Array(10).fill(0), 300_000]);
});

test("the count restarts after a minute", () => {
	const clock = new ManualClock();
	const limiter = new FailedAuthLimiter(clock);
	failTimes(limiter, "a", 10);
	clock.advance(60_000);
	expect(failTimes(limiter, "a", 10)).toEqual(new Array(10).fill(0));
});

test("keys are counted separately", () => {
	const limiter = new FailedAuthLimiter(new ManualClock());
	failTimes(limiter, "a", 11);
	expect(limiter.fail("b")).toBe(0);
});

test("ten thousand keys are remembered, and the one with the oldest failure is removed for a new one", () => {
	const limiter = new FailedAuthLimiter(new ManualClock());
	failTimes(limiter, "first", 11);
	failTimes(limiter, "second", 11);
	for (let key = 0; key < 9_998; key++) limiter.fail(String(key));
	expect(limiter.fail("first")).toBeGreaterThan(0);
	limiter.fail("one more");
	expect(limiter.fail("first")).toBeGreaterThan(0);
	expect(limiter.fail("second")).toBe(0);
});
