import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { LastAlive } from "./last-alive.ts";

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function place(stored?: number) {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const saved: number[] = [];
	const failures: Error[] = [];
	const store = {
		load: async () => stored,
		save: async (at: number) => {
			const failure = failures.shift();
			if (failure) throw failure;
			saved.push(at);
		},
	};
	return { alive: await LastAlive.open({ store, clock, log }), clock, log, saved, failures };
}

test("the stored time advances while the connector is healthy, and stops while it is not", async () => {
	const { alive, clock, saved } = await place();
	expect(alive.since).toBeUndefined();
	let isWell = false;
	alive.begin(() => isWell);
	clock.advance(60_000);
	expect([alive.since, saved]).toEqual([undefined, []]);
	isWell = true;
	clock.advance(60_000);
	const well = clock.now();
	expect([alive.since, saved]).toEqual([snowflakeAt(well - 120_000), [well]]);
	isWell = false;
	clock.advance(600_000);
	expect(saved).toEqual([well]);
	await alive.close();
	expect(clock.pending).toBe(0);
});

test("the time of an earlier process is used, and a failed save is logged", async () => {
	const { alive, clock, log, failures } = await place(5_000_000_000_000);
	expect(alive.since).toBe(snowflakeAt(5_000_000_000_000 - 120_000));
	failures.push(new Error("disk full"));
	alive.begin(() => true);
	await settled();
	expect(log.records).toMatchObject([{ level: "warn" }]);
	await alive.close();
	expect(clock.pending).toBe(0);
});
