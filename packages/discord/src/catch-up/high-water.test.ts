import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type Cursors, HighWater } from "./high-water.ts";

async function place(stored?: Cursors) {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const saved: Cursors[] = [];
	const failures: Error[] = [];
	const store = {
		load: async () => stored,
		save: async (cursors: Cursors) => {
			const failure = failures.shift();
			if (failure) throw failure;
			saved.push(cursors);
		},
	};
	return { highWater: await HighWater.open({ store, clock, log }), clock, log, saved, failures };
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("cursors only increase, and are written once for many messages", async () => {
	const { highWater, clock, saved } = await place({
		"1": { message: "100", guild: "9" },
		"2": { message: "8" },
	});
	await highWater.passed("1", { message: "99", guild: "9" });
	expect(clock.pending).toBe(0);
	for (let id = 101; id <= 150; id++) await highWater.passed("1", { message: String(id), guild: "9" });
	// A longer id is higher, regardless of its first digits.
	await highWater.passed("2", { message: "9" });
	await highWater.passed("2", { message: "10" });
	clock.advance(10_000);
	await settled();
	expect(saved).toEqual([{ "1": { message: "150", guild: "9" }, "2": { message: "10" } }]);
	expect(clock.pending).toBe(0);
});

test("the first message of a channel is handled when its cursor is written", async () => {
	const { highWater, clock, saved } = await place();
	await highWater.passed("1", { message: "5" });
	expect(saved).toEqual([{ "1": { message: "5" } }]);
	expect(clock.pending).toBe(0);
});

test("a save that fails at the end is not retried after the end", async () => {
	const { highWater, clock, failures } = await place({ "1": { message: "5" } });
	await highWater.passed("1", { message: "6" });
	failures.push(new Error("disk full"));
	await highWater.close();
	expect(clock.pending).toBe(0);
});

test("changes are saved when the connector ends, and unchanged state is not", async () => {
	const { highWater, clock, saved } = await place({ "1": { message: "4" } });
	await highWater.passed("1", { message: "5" });
	await highWater.close();
	await highWater.close();
	expect(saved).toEqual([{ "1": { message: "5" } }]);
	expect(clock.pending).toBe(0);
});

test("five hundred channels are kept: those with the newest messages", async () => {
	const { highWater, saved } = await place();
	for (let channel = 1; channel <= 501; channel++)
		await highWater.passed(`${channel}`, { message: `${channel}` });
	await highWater.passed("2", { message: "600" });
	await highWater.passed("502", { message: "700" });
	await highWater.close();
	const stored = Object.keys(saved.at(-1) ?? {});
	expect(stored).toHaveLength(500);
	expect([stored.includes("1"), stored.includes("2"), stored.includes("3")]).toEqual([false, true, false]);
});

test("a failed write is repeated, and a missing channel is forgotten", async () => {
	const { highWater, clock, log, saved, failures } = await place({ "1": { message: "5" } });
	failures.push(new Error("disk full"));
	highWater.forget("1");
	highWater.forget("1");
	clock.advance(10_000);
	await settled();
	expect(log.records).toMatchObject([{ level: "warn" }]);
	clock.advance(10_000);
	await settled();
	expect(saved).toEqual([{}]);
});

test("a pending channel stays known while messages continue, also over restarts, until it is read", async () => {
	const { highWater, clock, saved } = await place({ "1": { message: "5", guild: "9" } });
	await highWater.addPending("1", { message: "5", guild: "9" });
	expect(saved).toEqual([{ "1": { message: "5", guild: "9", unread: "5" } }]);
	await highWater.passed("1", { message: "8", guild: "9" });
	// An earlier unread position is already recorded.
	await highWater.addPending("1", { message: "8", guild: "9" });
	// The channel has no cursor yet.
	await highWater.addPending("2", { message: "3" });
	const unread = { "1": { message: "8", guild: "9", unread: "5" }, "2": { message: "3", unread: "3" } };
	expect(saved.at(-1)).toEqual(unread);
	expect(Object.fromEntries(highWater.behind)).toEqual(unread);
	highWater.caughtUp("1");
	highWater.caughtUp("3");
	clock.advance(10_000);
	await settled();
	expect(saved.at(-1)).toEqual({ "2": unread["2"], "1": { message: "8", guild: "9" } });
	expect(highWater.behind).toHaveLength(1);
});

test("a pending channel is not forgotten for others", async () => {
	const { highWater } = await place();
	await highWater.addPending("1", { message: "1" });
	for (let channel = 2; channel <= 501; channel++)
		await highWater.passed(`${channel}`, { message: `${channel}` });
	expect([highWater.cursors.size, highWater.cursors.has("1"), highWater.cursors.has("2")]).toEqual([
		500,
		true,
		false,
	]);
});

test("channels known from other sources are used without a cursor, the newest ones up to the limit", async () => {
	const { highWater, saved, clock } = await place({ "1": { message: "9" } });
	await highWater.know([["1", { message: "5" }]]);
	expect(saved).toEqual([]);
	const channels = Array.from({ length: 500 }, (_, index) => String(index + 2));
	await highWater.know(channels.map((channel) => [channel, { message: `1${channel.padStart(4, "0")}` }]));
	expect(saved).toHaveLength(1);
	expect([highWater.cursors.size, highWater.cursors.has("2"), highWater.cursors.get("501")]).toEqual([
		500,
		false,
		{ message: "10501" },
	]);
	expect(highWater.cursors.get("1")).toEqual({ message: "9" });
	expect(clock.pending).toBe(0);
});
