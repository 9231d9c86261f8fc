import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

function createPace() {
	const clock = new ManualClock();
	const reading: boolean[] = [];
	return { clock, reading, pace: new Pace(clock, (on) => void reading.push(on)) };
}

test("a client with too many waiting requests is not read until they are answered", () => {
	const { reading, pace } = createPace();
	pace.full(true);
	pace.full(true);
	pace.full(false);
	expect(reading).toEqual([false, true]);
});

test("a client that sends many invalid requests is read more slowly, and normally after a pause", () => {
	const { clock, reading, pace } = createPace();
	for (let sent = 0; sent < 1000; sent++) pace.failed();
	expect(reading).toEqual([]);
	for (let sent = 0; sent < 500; sent++) pace.failed();
	expect(reading).toEqual([false]);
	pace.full(true);
	pace.full(false);
	clock.advance(499);
	expect(reading).toEqual([false]);
	clock.advance(1);
	expect(reading).toEqual([false, true]);
});

test("a few failures each second have no effect", () => {
	const { clock, reading, pace } = createPace();
	for (let second = 0; second < 10; second++) {
		for (let sent = 0; sent < 900; sent++) pace.failed();
		clock.advance(1000);
	}
	expect(reading).toEqual([]);
});

test("the timer of a disconnected client is stopped", () => {
	const { clock, pace } = createPace();
	for (let sent = 0; sent < 2000; sent++) pace.failed();
	pace.end();
	expect(clock.pending).toBe(0);
});
