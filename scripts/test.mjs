import { prepare } from "./build.mjs";
import { check } from "./checks.mjs";
import { add, line, one } from "./counts.mjs";
import { vitest } from "./vitest.mjs";

/** All of it, from the start of the process: half a minute less than .ci/run gives it. */
const LIMIT_MS = 12.8 * 60_000;

/** All checks and all tests. Ends with one line of counts, alone. */
export async function run() {
	const counts = (await prepare()) ? await measure() : one(false);
	console.log(line(counts));
	return counts.failed === 0 ? 0 : 1;
}

async function measure() {
	const checked = await check();
	return add(checked, await vitest({ limitMs: LIMIT_MS - performance.now() }));
}
