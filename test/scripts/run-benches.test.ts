import { expect, test } from "vitest";
import { runBenches } from "../../scripts/run-benches.mjs";

/** Runs benches of these `durations`. All values are in seconds. `leftS` is the time limit of the run. */
async function runFor(leftS: number, durations: Readonly<Record<string, number>>) {
	const started: string[] = [];
	const lines: string[] = [];
	let remaining = leftS * 1000;
	const counts = await runBenches({
		names: Object.keys(durations),
		leftMs: () => remaining,
		runBench: async (name, limitMs) => {
			const needed = (durations[name] ?? 0) * 1000;
			started.push(name);
			remaining -= Math.min(needed, limitMs);
			return needed > limitMs ? 1 : 0;
		},
		print: (line) => lines.push(line),
	});
	return { counts, started, lines };
}

test("benches without time are not started and count as one failure that names them", async () => {
	const { counts, started, lines } = await runFor(100, { first: 40, second: 40, third: 40, fourth: 40 });
	expect(started).toEqual(["first", "second"]);
	expect(lines.at(-1)).toBe("2 of 4 benches were not started, no time was left: third, fourth");
	expect(counts).toEqual({
		...{ passed: 2, failed: 1, skipped: 0 },
		failures: ["2 of 4 benches were not started, no time was left: third, fourth"],
	});
});

test("a bench that the end of the run stops does not count as too slow", async () => {
	const stopped = await runFor(80, { first: 40, second: 60, third: 10 });
	expect(stopped.counts.failures).toEqual([
		"bench second, stopped when no time was left",
		"1 of 3 benches were not started, no time was left: third",
	]);
	const slow = await runFor(1_000, { first: 200, second: 10 });
	expect(slow.counts.failures).toEqual(["bench first"]);
});

test("the second measurement of a failed bench decides", async () => {
	const results: Readonly<Record<string, readonly number[]>> = { noisy: [1, 0], slow: [1, 1], fast: [0] };
	const runs: { name: string; isRepeat: boolean }[] = [];
	const counts = await runBenches({
		names: Object.keys(results),
		leftMs: () => Number.POSITIVE_INFINITY,
		runBench: async (name, _limitMs, isRepeat) => {
			runs.push({ name, isRepeat });
			return results[name]?.[isRepeat ? 1 : 0] ?? 1;
		},
		print: () => undefined,
	});
	expect(runs).toEqual([
		{ name: "noisy", isRepeat: false },
		{ name: "noisy", isRepeat: true },
		{ name: "slow", isRepeat: false },
		{ name: "slow", isRepeat: true },
		{ name: "fast", isRepeat: false },
	]);
	expect(counts).toEqual({ passed: 2, failed: 1, skipped: 0, failures: ["bench slow"] });
});

test("without a limit each bench runs", async () => {
	const { counts, started } = await runFor(Number.POSITIVE_INFINITY, { first: 40, second: 40 });
	expect(started).toEqual(["first", "second"]);
	expect(counts).toEqual({ passed: 2, failed: 0, skipped: 0, failures: [] });
});
