import { bench, benches } from "./benches.mjs";
import { seconds } from "./capture.mjs";
import { add, line, one } from "./counts.mjs";
import { install } from "./install.mjs";
import { vitest } from "./vitest.mjs";

/** The larger numbers: `*.ci.test.ts`, `*.scale.test.ts` once more at full scale, and each bench as one test. */
export async function run() {
	const counts = (await install()) ? await measure() : one(false);
	console.log(line(counts));
	return counts.failed === 0 ? 0 : 1;
}

async function measure() {
	let counts = await vitest({ env: { PARLEY_TEST_SCALE: "ci" }, limitMs: 6 * 60_000 });
	for (const name of benches()) {
		const began = performance.now();
		const code = await bench(name, [], 90_000);
		console.log(`bench ${name.padEnd(12)} ${code === 0 ? "passed" : "FAILED"}  ${seconds(began)}`);
		counts = add(counts, one(code === 0));
	}
	return counts;
}
