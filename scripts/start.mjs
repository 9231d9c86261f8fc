import { runInPlace } from "../packages/cli/bin/run-in-place.mjs";
import { install } from "./install.mjs";
import { binary, root } from "./paths.mjs";

/** @param {readonly string[]} args Passed to `parley start`. */
export async function run(args) {
	if (!(await install())) return 1;
	return runInPlace(binary("node"), [`${root}packages/cli/bin/parley.mjs`, "start", ...args]);
}
