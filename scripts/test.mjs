import { prepare } from "./build.mjs";
import { check } from "./checks.mjs";
import { add, one, report } from "./counts.mjs";
import { limitOfRun } from "./limit.mjs";
import { vitest } from "./vitest.mjs";

/** Runs all checks and all tests. The last line of the output has the counts alone. */
export async function run() {
	const counts = (await prepare()) ? await measure(limitOfRun()) : one(false, "preparation");
	report(counts);
	return counts.failed === 0 ? 0 : 1;
}

/**
 * The checks run beside the tests, which leave a part of the cores idle. Their lines follow those of the tests.
 * @param {number} limitMs From the start of this process; may be infinite.
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
