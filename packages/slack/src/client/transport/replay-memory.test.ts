import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ReplayMemory } from "./verify.ts";

test("a replayed request gets the first result, also while that is pending", async () => {
	const memory = new ReplayMemory<string>(new ManualClock());
	const first = Promise.withResolvers<string>();
	let done = 0;
	const work = (): Promise<string> => {
		done += 1;
		return first.promise;
	};
	const [one, two] = [memory.once("a", work), memory.once("a", work)];
	first.resolve("taken");
	expect(await Promise.all([one, two, memory.once("a", work)])).toEqual(["taken", "taken", "taken"]);
	expect(done).toBe(1);
});

test("a failed request can be sent again", async () => {
	const memory = new ReplayMemory<string>(new ManualClock());
	await expect(memory.once("a", () => Promise.reject(new Error("busy")))).rejects.toThrow("busy");
	expect(await memory.once("a", () => Promise.resolve("taken"))).toBe("taken");
});

test("a signature is remembered longer than it is valid, up to a limit", async () => {
	const clock = new ManualClock();
	const memory = new ReplayMemory<number>(clock);
	let done = 0;
	const work = async (): Promise<number> => ++done;
	await memory.once("a", work);
	clock.advance(10 * 60_000);
	expect(await memory.once("a", work)).toBe(1);
	clock.advance(60_000);
	expect(await memory.once("a", work)).toBe(2);
});

test("requests beyond the maximum are refused, so that no known one is forgotten", async () => {
	const memory = new ReplayMemory<string>(new ManualClock());
	for (let n = 0; n < 20_000; n++) await memory.once(`s${n}`, async () => "taken");
	expect(memory.once("one more", async () => "taken")).toBeUndefined();
	expect(await memory.once("s0", async () => "again")).toBe("taken");
});
