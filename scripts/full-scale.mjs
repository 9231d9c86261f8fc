import { prepare } from "./build.mjs";
import { one, report } from "./counts.mjs";
import { vitest } from "./vitest.mjs";

const LIMIT_MS = 3 * 3_600_000;

/**
 * Runs tests of `npm run test:ci` at full scale, which can take hours. `PARLEY_TEST_SEED` repeats an earlier run.
 * @param {readonly string[]} paths Parts of the paths of the test files.
 * @returns {Promise<number>} The exit code.
 */
export async function runAtFullScale(paths) {
	const env = { PARLEY_TEST_SCALE: "full" };
	const args = ["--project", "ci", "--project", "ci-disk", ...paths];
	const counts = (await prepare())
		? await vitest({ args, env, limitMs: LIMIT_MS })
		: one(false, "preparation");
	report(counts);
	return counts.failed === 0 ? 0 : 1;
}
