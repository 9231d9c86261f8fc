import { join } from "node:path";
import { runInPlace } from "../packages/cli/bin/run-in-place.mjs";
import { install } from "./install.mjs";
import { binary, root } from "./paths.mjs";

/**
 * Prints the user texts of packages in one list.
 * @param {readonly string[]} args Packages or paths, and `--json`.
 */
export async function run(args) {
	if (!(await install())) return 1;
	return runInPlace(binary("node"), [join(root, "test/docs/texts.ts"), ...args]);
}
