import { seconds } from "./capture.mjs";
import { add, none, one } from "./counts.mjs";

const BENCH_LIMIT_MS = 150_000;
/** Minimum remaining milliseconds for starting a bench. With less, a typical bench would not end on a slow machine. */
const LEAST_MS = 30_000;

/**
 * Runs benches sequentially and counts each as a test. If enough time is left, measures a failed bench once more with
 * all its rounds, because the median of a few rounds is too noisy on a busy machine. The second result decides. Without
 * enough time, the remaining benches are not started, and count as one failure that names them.
 * @param {object} options
 * @param {readonly string[]} options.names
 * @param {() => number} options.leftMs Remaining time of the run. May be infinite.
 * @param {(name: string, limitMs: number, isRepeat: boolean) => Promise<number>} options.runBench Resolves with the
 * exit code.
 * @param {(line: string) => void} options.print
 * @returns {Promise<import("./counts.mjs").Counts>}
 */
export async function runBenches({ names, leftMs, runBench, print }) {
	let counts = none;
	for (const [index, name] of names.entries()) {
		const left = leftMs();
		if (left < LEAST_MS) {
			const rest = names.slice(index);
			const reason = `${rest.length} of ${names.length} benches were not started, no time was left: ${rest.join(", ")}`;
			print(reason);
			return add(counts, one(false, reason));
		}
		const began = performance.now();
		let code = await runBench(name, Math.min(BENCH_LIMIT_MS, left), false);
		if (code !== 0 && leftMs() >= LEAST_MS) {
			print(`bench ${name} failed and is measured once more, with all of its rounds`);
			code = await runBench(name, Math.min(BENCH_LIMIT_MS, leftMs()), true);
		}
		print(`bench ${name.padEnd(12)} ${code === 0 ? "passed" : "FAILED"}  ${seconds(began)}`);
		const isCut = code !== 0 && leftMs() <= 0;
		counts = add(counts, one(code === 0, `bench ${name}${isCut ? ", stopped when no time was left" : ""}`));
	}
	return counts;
}
