/**
 * Numbers of tests, and the names of failed tests.
 * @typedef {{ readonly passed: number, readonly failed: number, readonly skipped: number, readonly failures: readonly string[] }} Counts
 */

/** @type {Counts} */
export const none = { passed: 0, failed: 0, skipped: 0, failures: [] };

/**
 * @param {Counts} a
 * @param {Counts} b
 * @returns {Counts}
 */
export function add(a, b) {
	return {
		passed: a.passed + b.passed,
		failed: a.failed + b.failed,
		skipped: a.skipped + b.skipped,
		failures: [...a.failures, ...b.failures],
	};
}

/**
 * Returns the counts of one test, or of a step that counts as one test.
 * @param {boolean} passed
 * @param {string} name
 * @returns {Counts}
 */
export function one(passed, name) {
	return passed ? { ...none, passed: 1 } : { ...none, failed: 1, failures: [name] };
}

/**
 * Prints the names of all failed tests, and then the line of counts.
 * @param {Counts} counts
 */
export function report(counts) {
	if (counts.failures.length > 0)
		console.log(`failed:\n${counts.failures.map((name) => `  ${name}`).join("\n")}`);
	console.log(line(counts));
}

/** @param {Counts} counts */
export function line({ passed, failed, skipped }) {
	return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
