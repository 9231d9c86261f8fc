import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { collectWhenIdle } from "./collect-when-idle.ts";

test("sets memory options after 1 s with a collection, and collects garbage once after each busy period", () => {
	const clock = new ManualClock();
	let cpu = 0;
	let collections = 0;
	let settled = 0;
	const timer = collectWhenIdle({
		clock,
		cpu: () => cpu,
		settle: () => {
			settled += 1;
			return async () => {
				collections += 1;
			};
		},
	});
	clock.advance(999);
	expect([settled, collections]).toEqual([0, 0]);
	clock.advance(1);
	expect([settled, collections]).toEqual([1, 1]);
	const pass = (usedMs: number): number => {
		cpu += usedMs * 1_000;
		clock.advance(15_000);
		return collections;
	};
	// The first busy period is the start itself.
	expect([pass(2_000), pass(10), pass(10), pass(400)]).toEqual([1, 2, 2, 2]);
	expect([pass(500), pass(500), pass(449), pass(0)]).toEqual([2, 2, 3, 3]);
	timer.cancel();
	expect([settled, clock.pending]).toEqual([1, 0]);
});
