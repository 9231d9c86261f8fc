/**
 * Returns the time limit of this run in milliseconds from the start of the process. .ci/run sets `PARLEY_TEST_LIMIT_S`.
 * Without this variable, a run has no limit, because a busy machine only makes the run longer.
 */
export function limitOfRun() {
	const text = process.env["PARLEY_TEST_LIMIT_S"];
	if (text === undefined) return Number.POSITIVE_INFINITY;
	const limitS = Number(text);
	if (!(limitS > 0)) throw new Error(`Invalid PARLEY_TEST_LIMIT_S "${text}": use a number of seconds.`);
	return limitS * 1000;
}
