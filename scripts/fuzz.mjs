import { runAtFullScale } from "./full-scale.mjs";

/** All tests of random inputs: malformed frames, lines and messages, cut replies, random transcripts. */
export function run() {
	return runAtFullScale([".scale.test.ts"]);
}
