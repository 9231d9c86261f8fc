import { expect, test } from "vitest";
import { afterPatience, measurePace, paced, pacedNow, runPace } from "./pace.ts";

function clockOf(workMs: number): Parameters<typeof measurePace>[0] {
	const times = [0, workMs];
	return {
		now: () => 0,
		monotonic: () => times.shift() ?? workMs,
		after: () => ({ cancel: () => undefined }),
	};
}

test.each([
	{ workMs: 20, factor: 1 },
	{ workMs: 100, factor: 1 },
	{ workMs: 650, factor: 6.5 },
	{ workMs: 60_000, factor: 50 },
])("work of $workMs ms means that the machine is $factor times slower", ({ workMs, factor }) => {
	expect(measurePace(clockOf(workMs))).toBe(factor);
});

test("waits are at least as long as on an idle machine", () => {
	expect(runPace()).toBeGreaterThanOrEqual(1);
	expect(paced(1_000)).toBe(Math.ceil(1_000 * runPace()));
	expect(pacedNow(1_000)).toBeGreaterThanOrEqual(paced(1_000));
});

test("a wait times out, and a cancelled wait does not", async () => {
	const given: string[] = [];
	const { promise, resolve } = Promise.withResolvers<void>();
	const cancel = afterPatience(1, () => given.push("cancelled"));
	afterPatience(20, () => {
		given.push("expired");
		resolve();
	});
	cancel();
	await promise;
	expect(given).toEqual(["expired"]);
});
