/**
 * Returns the time limit of this run in milliseconds from the start of the process. .ci/run sets `PARLEY_TEST_LIMIT_S`.
 * Without this variable, the limit is infinite, because a busy machine only makes the run longer. Throws if the value is
 * not a positive number.
 */
export function limitOfRun() {
	const text = process.env["PARLEY_TEST_LIMIT_S"];
	if (text === undefined) return Number.POSITIVE_INFINITY;
	const limitS = Number(text);
	if (!(limitS > 0)) throw new Error(`Invalid PARLEY_TEST_LIMIT_S "${text}": use a number of seconds.`);
	return limitS * 1000;
}
