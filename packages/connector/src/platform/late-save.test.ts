import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { LateSave } from "./late-save.ts";

function place() {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const written: number[] = [];
	const state = { now: 0, isRefused: false };
	const save = async (): Promise<void> => {
		if (state.isRefused) throw new Error("the disk is full");
		written.push(state.now);
	};
	return { clock, log, written, state, late: new LateSave({ save, what: "the count", clock, log }) };
}

test("changes within ten seconds are one write, and a requested save is immediate", async () => {
	const { clock, late, written, state } = place();
	for (state.now = 1; state.now < 4; state.now++) late.changed();
	clock.advance(9_999);
	expect(written).toEqual([]);
	clock.advance(1);
	await tick();
	expect(written).toEqual([4]);
	late.changed();
	await late.written();
	clock.advance(60_000);
	await tick();
	expect(written).toEqual([4, 4]);
});

test("a failed save is logged and repeated later", async () => {
	const { clock, log, late, written, state } = place();
	state.isRefused = true;
	await late.written();
	expect(log.records.map(({ message }) => message)).toEqual(["the count cannot be saved yet"]);
	state.isRefused = false;
	clock.advance(10_000);
	await tick();
	expect(written).toEqual([0]);
});

test("a change is saved at the end, and changes after the end are not saved", async () => {
	const { clock, late, written } = place();
	late.changed();
	await late.close();
	late.changed();
	clock.advance(60_000);
	await tick();
	expect(written).toEqual([0]);
	const other = place();
	await other.late.close();
	expect(other.written).toEqual([]);
});
