import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Typing } from "./typing.ts";

function watched() {
	const clock = new ManualClock();
	const shown: number[] = [];
	const typing = async (): Promise<void> => void shown.push(clock.monotonic());
	return { clock, shown, typing: new Typing({ outbox: { typing }, clock, conversation: "general" }) };
}

test("typing shows after a moment and every eight seconds until the run has ended", () => {
	const { clock, shown, typing } = watched();
	typing.show("run_1");
	clock.advance(10_000);
	typing.show("run_1");
	clock.advance(10_000);
	typing.show(undefined);
	clock.advance(60_000);
	expect(shown).toEqual([400, 8400, 16_400]);
	expect(clock.pending).toBe(0);
});

test("no run shows it for more than five minutes, and the next one begins anew", () => {
	const { clock, shown, typing } = watched();
	typing.show("run_1");
	clock.advance(3_600_000);
	expect(shown).toHaveLength(38);
	expect(shown.at(-1)).toBe(296_400);
	typing.show("run_2");
	clock.advance(400);
	expect(shown.at(-1)).toBe(3_600_400);
	expect(shown).toHaveLength(39);
});

test("a run that has ended within a moment was never seen typing", () => {
	const { clock, shown, typing } = watched();
	typing.show("run_1");
	clock.advance(399);
	typing.show(undefined);
	clock.advance(60_000);
	expect(shown).toEqual([]);
});
