import { bench, benches } from "./benches.mjs";
import { prepare } from "./build.mjs";
import { add, one, report } from "./counts.mjs";
import { limitOfRun } from "./limit.mjs";
import { runBenches } from "./run-benches.mjs";
import { vitest } from "./vitest.mjs";

/**
 * Benches that are run only by hand. `growing-slack` runs half of `growing-slack-edits` and half of
 * `growing-slack-streams`. `idle` takes a minute, mostly to open ten thousand sessions. The floors of `ttft` and
 * `turn` are absolute times of a machine, not ratios within the run.
 */
const large = ["growing-slack-edits", "growing-slack-streams", "idle", "ttft", "turn"];

/**
 * Arguments for shorter runs of benches. With `--ratios`, a missed time or target is reported and does not fail the
 * run, because a busy or slow machine misses them. Any other missed limit fails the run, including the limit for
 * the reached part of a target.
 */
/** @type {Readonly<Record<string, readonly string[]>>} */
const shorter = {
	boot: ["--ratios", "--rounds", "5"],
	connector: ["--ratios", "--rounds", "1"],
	"first-word": ["--ratios", "--rounds", "3"],
	"grpc-push": ["--ratios", "--rounds", "2"],
	"growing-answer": ["--ratios", "--rounds", "1"],
	"growing-slack": ["--ratios", "--rounds", "1"],
	recovery: ["--ratios", "--rounds", "2"],
	"local-request": ["--ratios", "--rounds", "2"],
	"slow-reader": ["--rounds", "5"],
	soak: ["--ratios", "--rounds", "3"],
	stdio: ["--ratios", "--rounds", "4"],
	"token-cost": ["--ratios", "--rounds", "3"],
	"ws-fanout": ["--ratios", "--rounds", "3"],
	"ws-scatter": ["--ratios", "--rounds", "7"],
};

/** Share of the time limit for the tests. The rest is for the benches. */
const TESTS_SHARE = 0.83;

/**
 * Runs `*.ci.test.ts`, the tests of the simulators, and `*.scale.test.ts` at the scale `ci`. Runs each bench except the
 * large ones as a test.
 */
export async function run() {
	const counts = (await prepare()) ? await measure(limitOfRun()) : one(false, "preparation");
	report(counts);
	return counts.failed === 0 ? 0 : 1;
}

/** @param {number} limitMs Milliseconds from the start of this process. May be infinite. */
async function measure(limitMs) {
	const tested = await vitest({
		env: { PARLEY_TEST_SCALE: "ci" },
		limitMs: limitMs * TESTS_SHARE - performance.now(),
	});
	const measured = await runBenches({
		names: benches().filter((each) => !large.includes(each)),
		leftMs: () => limitMs - performance.now(),
		runBench: (name, benchLimitMs, isRepeat) =>
			bench(name, isRepeat ? ["--ratios"] : (shorter[name] ?? []), benchLimitMs),
		print: console.log,
	});
	return add(tested, measured);
}
