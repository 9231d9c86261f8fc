import { runAtFullScale } from "./full-scale.mjs";

/** Runs all tests of `test/connector` at full scale, which can take hours. */
export function run() {
	return runAtFullScale(["test/connector"]);
}
