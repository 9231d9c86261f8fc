import { runInPlace } from "../packages/cli/bin/run-in-place.mjs";
import { prepare } from "./build.mjs";
import { binary, root } from "./paths.mjs";

/** @param {readonly string[]} args Passed to `parley start`. */
export async function run(args) {
	if (!(await prepare())) return 1;
	return runInPlace(binary("node"), [`${root}packages/cli/bin/parley.mjs`, "start", ...args]);
}
