import { join } from "node:path";
import { runInPlace } from "../packages/cli/bin/run-in-place.mjs";
import { prepare } from "./build.mjs";
import { binary, root } from "./paths.mjs";

/** Plays the first ten minutes of a new user in a new root directory, and prints the time of each step. */
export async function run() {
	if (!(await prepare())) return 1;
	return runInPlace(binary("node"), [join(root, "test/first-ten/first-ten.ts")]);
}
