import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { CapturedIo } from "../testing/captured-io.ts";
import { readPipedInput } from "./piped-input.ts";

const clock = () => new ManualClock(Date.parse("2026-01-01T00:00:00Z"));

test("returns all of the input without the line ends at its end", async () => {
	const io = new CapturedIo();
	const reading = readPipedInput(io, clock());
	io.stdin.push("one\n");
	io.stdin.push("two\n\n");
	io.stdin.push(null);
	expect(await reading).toBe("one\ntwo");
});

test("returns nothing for an input without a byte", async () => {
	const io = new CapturedIo();
	io.stdin.push(null);
	expect(await readPipedInput(io, clock())).toBe("");
});

test("does not wait for a pipe that stays silent for 3 s", async () => {
	const io = new CapturedIo();
	const time = clock();
	const reading = readPipedInput(io, time);
	time.advance(3_000);
	expect(await reading).toBeUndefined();
	expect(io.stdin.destroyed).toBe(true);
});

test("reads an input that began in time to its end", async () => {
	const io = new CapturedIo();
	const time = clock();
	const reading = readPipedInput(io, time);
	io.stdin.push("slow ");
	await new Promise(setImmediate);
	time.advance(60_000);
	io.stdin.push("program");
	io.stdin.push(null);
	expect(await reading).toBe("slow program");
});

test("reads nothing from a terminal", async () => {
	const io = new CapturedIo();
	Object.assign(io.stdin, { isTTY: true });
	expect(await readPipedInput(io, clock())).toBe("");
});
