import { prepare } from "./build.mjs";
import { one, report } from "./counts.mjs";
import { vitest } from "./vitest.mjs";

const hourMs = 3_600_000;

/**
 * Ten thousand times connectors that die and platforms that drop, double and delay what they are sent, and two thousand
 * times all of a connector between a Discord and a gateway: about a quarter of an hour.
 * `PARLEY_TEST_SEED` repeats an earlier run.
 */
export async function run() {
	const env = { PARLEY_TEST_SCALE: "full" };
	const args = ["--project", "ci", "test/connector"];
	const counts = (await prepare())
		? await vitest({ args, env, limitMs: 3 * hourMs })
		: one(false, "preparation");
	report(counts);
	return counts.failed === 0 ? 0 : 1;
}
