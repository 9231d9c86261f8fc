import { ManualClock } from "@parley/base/testing";
import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { stepWords, Typing } from "./typing.ts";

function watched() {
	const clock = new ManualClock();
	const shown: number[] = [];
	const words: (string | undefined)[] = [];
	const typing = async (_: string, doing?: string): Promise<void> => {
		shown.push(clock.monotonic());
		words.push(doing);
	};
	const waits: number[] = [];
	const suspended = async (): Promise<void> => void waits.push(clock.monotonic());
	const outbox = { typing, suspended };
	return { clock, shown, words, waits, typing: new Typing({ outbox, clock, conversation: "general" }) };
}

test("typing appears after a moment and then every eight seconds until the end of the run", () => {
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

test("a run without progress for 20 minutes shows typing until its end", () => {
	const { clock, shown, typing } = watched();
	typing.show("run_1");
	clock.advance(20 * 60_000);
	expect(shown).toHaveLength(150);
	expect(shown.at(-1)).toBe(1_192_400);
	typing.show(undefined);
	clock.advance(60_000);
	expect(shown).toHaveLength(150);
	expect(clock.pending).toBe(0);
});

test("a run that ends within a moment shows no typing", () => {
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

test("a run that waits for a person shows that instead of typing", () => {
	const { clock, shown, waits, typing } = watched();
	typing.show("run_1");
	clock.advance(1000);
	typing.show("run_1", true);
	clock.advance(10_000);
	typing.show("run_1");
	clock.advance(1000);
	typing.show(undefined);
	clock.advance(60_000);
	expect(shown).toEqual([400, 11_400]);
	expect(waits).toEqual([1400, 9400]);
});

test.each<[event: string, payload: object, words: string]>([
	[
		"tool.call",
		{ name: "run_command", call_id: "c", status: "started", arguments: {} },
		"is running run_command…",
	],
	["tool.call", { name: "", call_id: "c", status: "completed", result: "" }, ""],
	["assistant.stream", { phase: "delta", content: "a" }, "is writing…"],
	["assistant.stream", { phase: "end", content: "" }, ""],
])("the step of %s %j is %j", (event, payload, words) => {
	expect(stepWords({ event, payload } as OzzieEvent, undefined)).toBe(words);
});
