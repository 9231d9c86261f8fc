/** @typedef {{ readonly passed: number, readonly failed: number, readonly skipped: number }} Counts */

/** @type {Counts} */
export const none = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {Counts} a
 * @param {Counts} b
 * @returns {Counts}
 */
export function add(a, b) {
	return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/**
 * Something that counts as one test.
 * @param {boolean} passed
 * @returns {Counts}
 */
export function one(passed) {
	return passed ? { ...none, passed: 1 } : { ...none, failed: 1 };
}

/** @param {Counts} counts */
export function line({ passed, failed, skipped }) {
	return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * What the report of vitest's JSON reporter amounts to. A file that fails outside its tests (it does not load, a hook
 * throws) counts as one failed test; so does a run that failed for no reason the report tells, or left no report.
 * @param {string | undefined} report
 * @param {boolean} succeeded Whether vitest exited with 0.
 * @returns {Counts}
 */
export function countVitest(report, succeeded) {
	const files = readFiles(report);
	let counts = none;
	for (const { status, assertionResults } of files) {
		const inFile = assertionResults.map((test) => ofStatus(test.status)).reduce(add, none);
		counts = add(counts, inFile);
		if (status === "failed" && inFile.failed === 0) counts = add(counts, one(false));
	}
	return counts.failed === 0 && !succeeded ? add(counts, one(false)) : counts;
}

/**
 * @param {string | undefined} report
 * @returns {{ status: string, assertionResults: { status: string }[] }[]}
 */
function readFiles(report) {
	if (report === undefined) return [];
	try {
		return JSON.parse(report).testResults;
	} catch {
		// A run that was killed while it wrote leaves half a report, and an exit code that counts as failed.
		return [];
	}
}

/**
 * @param {string} status
 * @returns {Counts}
 */
function ofStatus(status) {
	if (status === "passed" || status === "failed") return one(status === "passed");
	return { ...none, skipped: 1 };
}
