import { runAtFullScale } from "./full-scale.mjs";

/** Runs all tests of random inputs with their largest numbers. */
export function run() {
	return runAtFullScale([".scale.test.ts"]);
}
