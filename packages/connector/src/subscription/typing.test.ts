import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Typing } from "./typing.ts";

function watched() {
	const clock = new ManualClock();
	const shown: number[] = [];
	const words: (string | undefined)[] = [];
	const typing = async (_: string, doing?: string): Promise<void> => {
		shown.push(clock.monotonic());
		words.push(doing);
	};
	return { clock, shown, words, typing: new Typing({ outbox: { typing }, clock, conversation: "general" }) };
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

test("a run shows typing for at most five minutes without progress, and the next one starts again", () => {
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

test("the indicator shows the current step, soon after a change and at most every three seconds", () => {
	const { clock, shown, words, typing } = watched();
	typing.does("is thinking…");
	typing.show("run_1");
	typing.does("is thinking…");
	clock.advance(400);
	clock.advance(600);
	for (const name of ["a", "b", "c.md"]) typing.does(`is writing ${name}…`);
	clock.advance(2400);
	typing.does("is writing c.md…");
	clock.advance(4000);
	typing.does("");
	clock.advance(0);
	typing.show(undefined);
	clock.advance(60_000);
	expect(shown).toEqual([400, 3400, 7400]);
	expect(words).toEqual(["is thinking…", "is writing c.md…", ""]);
	expect(clock.pending).toBe(0);
});

test("a run whose model is at work shows it for longer than five minutes", () => {
	const { clock, shown, typing } = watched();
	typing.show("run_1");
	for (let minute = 0; minute < 20; minute++) {
		clock.advance(60_000);
		typing.does("is writing a.md…");
	}
	expect(shown.at(-1)).toBeGreaterThan(1_190_000);
	clock.advance(600_000);
	expect(shown.at(-1)).toBeLessThan(1_501_000);
});
