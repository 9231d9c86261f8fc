import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Watchdog } from "./watchdog.ts";

function watch() {
	const clock = new ManualClock();
	const reports: string[] = [];
	const watchdog = new Watchdog(
		clock,
		{ firstByteMs: 60_000, idleMs: 45_000, totalMs: 600_000 },
		(subject) => {
			reports.push(subject);
		},
	);
	return { clock, reports, watchdog };
}

test("a response that does not begin times out at the limit for the first byte", () => {
	const { clock, reports } = watch();
	clock.advance(59_999);
	expect(reports).toEqual([]);
	clock.advance(1);
	expect(reports).toEqual(["the server did not answer within 60 s"]);
	expect(clock.pending).toBe(0);
});

test("received bytes restart the idle time, so that pings keep an exchange alive", () => {
	const { clock, reports, watchdog } = watch();
	for (let ping = 0; ping < 5; ping++) {
		clock.advance(44_000);
		watchdog.arrive();
		watchdog.wait();
	}
	clock.advance(44_999);
	expect(reports).toEqual([]);
	clock.advance(45_000);
	expect(reports).toEqual(["the answer did not continue for 45 s"]);
});

test("the idle time starts at the first byte", () => {
	const { clock, reports, watchdog } = watch();
	watchdog.arrive();
	watchdog.wait();
	clock.advance(44_999);
	expect(reports).toEqual([]);
	clock.advance(1);
	expect(reports).toHaveLength(1);
});

test("endless bytes time out at the limit for the complete response", () => {
	const { clock, reports, watchdog } = watch();
	for (let second = 1; second < 600; second++) {
		clock.advance(1000);
		watchdog.arrive();
		watchdog.wait();
	}
	expect(reports).toEqual([]);
	clock.advance(1000);
	expect(reports).toEqual(["the answer did not end within 600 s"]);
});

test("a slow consumer does not time out the provider", () => {
	const { clock, reports, watchdog } = watch();
	watchdog.arrive();
	clock.advance(500_000);
	watchdog.wait();
	clock.advance(44_000);
	watchdog.arrive();
	expect(reports).toEqual([]);
});

test("repeated reads do not restart the idle time", () => {
	const { clock, reports, watchdog } = watch();
	watchdog.arrive();
	for (let second = 0; second < 100; second++) {
		watchdog.wait();
		clock.advance(1000);
	}
	expect(reports).toHaveLength(1);
});

test("the remaining time can be shortened, and no timer remains", () => {
	const { clock, reports, watchdog } = watch();
	watchdog.limitRest(1000);
	watchdog.limitRest(5000);
	expect(clock.pending).toBe(1);
	clock.advance(1000);
	expect(reports).toHaveLength(1);
	expect(clock.pending).toBe(0);
	const other = watch();
	other.watchdog.stop();
	expect(other.clock.pending).toBe(0);
});
