import { add, none, one } from "./counts.mjs";

/**
 * One step of a vitest run: a file or one of its tests starts (`running`) or has ended.
 * @typedef {{ readonly file: string, readonly test?: string, readonly state: string }} Step
 */

/**
 * Counts the tests of a run. A file that fails without a failed test, for example because a hook throws, counts as one
 * failed test. A run that fails without a failed step also counts as one.
 * @param {string} progress
 * @param {boolean} succeeded Whether vitest exited with 0.
 * @returns {import("./counts.mjs").Counts}
 */
export function countProgress(progress, succeeded) {
	let counts = none;
	/** @type {Set<string>} */
	const withFailures = new Set();
	for (const { file, test, state } of readSteps(progress)) {
		if (test !== undefined && state !== "running") counts = add(counts, ofState(state, `${file} > ${test}`));
		if (test !== undefined && state === "failed") withFailures.add(file);
		if (test === undefined && state === "failed" && !withFailures.has(file))
			counts = add(counts, one(false, file));
	}
	return counts.failed === 0 && !succeeded
		? add(counts, one(false, "vitest failed outside all tests: see its output above"))
		: counts;
}

/**
 * Returns the files that have started but not ended, each with its running test, if there is one.
 * @param {string} progress
 * @returns {string[]}
 */
export function unfinished(progress) {
	/** @type {Map<string, string>} */
	const running = new Map();
	/** Ended files. The last result of a test can follow the end of its file. */
	const ended = new Set();
	for (const { file, test, state } of readSteps(progress)) {
		if (test === undefined && state !== "running") ended.add(file);
		if (ended.has(file)) running.delete(file);
		else if (test !== undefined) running.set(file, state === "running" ? `${file} > ${test}` : file);
		else running.set(file, file);
	}
	return [...running.values()];
}

/**
 * @param {string} progress
 * @returns {Step[]}
 */
function readSteps(progress) {
	// Text after the last line end is an incomplete step.
	return progress
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));
}

/**
 * @param {string} state
 * @param {string} name
 * @returns {import("./counts.mjs").Counts}
 */
function ofState(state, name) {
	if (state === "passed" || state === "failed") return one(state === "passed", name);
	return { ...none, skipped: 1 };
}
