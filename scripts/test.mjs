import { prepare } from "./build.mjs";
import { check } from "./checks.mjs";
import { add, one, report } from "./counts.mjs";
import { limitOfRun } from "./limit.mjs";
import { vitest } from "./vitest.mjs";

/** Runs all checks, and all tests except long ones. The last line of the output contains only the counts. */
export async function run() {
	const counts = (await prepare()) ? await measure(limitOfRun()) : one(false, "preparation");
	report(counts);
	return counts.failed === 0 ? 0 : 1;
}

/**
 * Runs the checks and the tests at the same time, because the tests do not use all cores. The lines of the checks
 * follow the lines of the tests.
 * @param {number} limitMs Milliseconds from the start of this process. May be infinite.
 */
async function measure(limitMs) {
	/** @type {string[]} */
	const lines = [];
	const checking = check((line) => lines.push(line));
	const tested = await vitest({ limitMs: limitMs - performance.now() });
	const checked = await checking;
	console.log(lines.join("\n"));
	return add(checked, tested);
}
