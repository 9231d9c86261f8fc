import { runAtFullScale } from "./full-scale.mjs";

/**
 * Runs all tests of random inputs: malformed frames, lines and messages, interrupted replies, and random transcripts.
 */
export function run() {
	return runAtFullScale([".scale.test.ts"]);
}
