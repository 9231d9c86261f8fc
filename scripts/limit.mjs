/**
 * Time that this whole run may take, in milliseconds from the start of the process. Without `PARLEY_TEST_LIMIT_S`,
 * which .ci/run sets, a run has no limit: a busy machine only makes it longer.
 */
export function limitOfRun() {
	const text = process.env["PARLEY_TEST_LIMIT_S"];
	if (text === undefined) return Number.POSITIVE_INFINITY;
	const limitS = Number(text);
	if (!(limitS > 0)) throw new Error(`Invalid PARLEY_TEST_LIMIT_S "${text}": use a number of seconds.`);
	return limitS * 1000;
}
