import { runAtFullScale } from "./full-scale.mjs";

/** Runs all tests of random inputs at full scale. */
export function run() {
	return runAtFullScale([".scale.test.ts"]);
}
