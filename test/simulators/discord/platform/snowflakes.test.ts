import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Snowflakes, timeOf } from "./snowflakes.ts";

test("ids contain their time, and later ids are larger", () => {
	const clock = new ManualClock();
	const snowflakes = new Snowflakes(clock);
	const ids = [snowflakes.create(), snowflakes.create()];
	clock.advance(1);
	ids.push(snowflakes.create());
	expect(ids.map((id) => timeOf(id) - clock.now())).toEqual([-1, -1, 0]);
	const numbers = ids.map(BigInt);
	expect(numbers).toEqual([...numbers].sort((one, other) => (one < other ? -1 : 1)));
	expect(new Set(ids).size).toBe(3);
});

test("a clock that goes back does not cause smaller ids", () => {
	const clock = new ManualClock();
	let now = clock.now();
	const snowflakes = new Snowflakes({
		...clock,
		now: () => now,
		monotonic: () => 0,
		after: () => ({ cancel: () => {} }),
	});
	const before = BigInt(snowflakes.create());
	now -= 5000;
	expect(BigInt(snowflakes.create()) > before).toBe(true);
});

test("a part of a millisecond is ignored", () => {
	const clock = new ManualClock();
	clock.advance(0.75);
	expect(timeOf(new Snowflakes(clock).create())).toBe(Math.floor(clock.now()));
});
