import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { OtherProcessWatch } from "./socket-pair.ts";

function watch() {
	const [clock, reports] = [new ManualClock(), [] as string[]];
	const rivals = new OtherProcessWatch({
		clock,
		replaceSocket: () => void reports.push("look"),
		found: (connections) => void reports.push(`found ${connections}`),
	});
	return { clock, reports, rivals };
}

test("additional sockets are checked again after a minute, and then reported once", () => {
	const { clock, reports, rivals } = watch();
	rivals.greeted(3, 1);
	rivals.greeted(4, 2);
	clock.advance(59_999);
	expect(reports).toEqual([]);
	clock.advance(1);
	expect(reports).toEqual(["look"]);
	rivals.greeted(5, 3);
	rivals.greeted(5, 3);
	expect(reports).toEqual(["look", "found 5"]);
});

test("the sockets of a killed process are forgotten with it", () => {
	const { clock, reports, rivals } = watch();
	rivals.greeted(3, 1);
	clock.advance(60_000);
	rivals.greeted(3, 3);
	rivals.greeted(4, 3);
	expect(reports).toEqual(["look"]);
	rivals.greeted(2, 2);
	expect(clock.pending).toBe(0);
});
