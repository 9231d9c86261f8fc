import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Typing } from "./typing.ts";

function watched() {
	const clock = new ManualClock();
	const shown: number[] = [];
	const typing = async (): Promise<void> => void shown.push(clock.monotonic());
	return { clock, shown, typing: new Typing({ outbox: { typing }, clock, conversation: "general" }) };
}

test("typing shows at once and every eight seconds until the run has ended", () => {
	const { clock, shown, typing } = watched();
	typing.show("run_1");
	clock.advance(10_000);
	typing.show("run_1");
	clock.advance(10_000);
	typing.show(undefined);
	clock.advance(60_000);
	expect(shown).toEqual([0, 8000, 16_000]);
	expect(clock.pending).toBe(0);
});

test("no run shows it for more than five minutes, and the next one begins anew", () => {
	const { clock, shown, typing } = watched();
	typing.show("run_1");
	clock.advance(3_600_000);
	expect(shown).toHaveLength(38);
	expect(shown.at(-1)).toBe(296_000);
	typing.show("run_2");
	expect(shown.at(-1)).toBe(3_600_000);
	expect(shown).toHaveLength(39);
});
