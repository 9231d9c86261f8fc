import { runInPlace } from "../packages/cli/bin/run-in-place.mjs";
import { install } from "./install.mjs";
import { binary } from "./paths.mjs";

/** Formats, sorts imports and applies safe fixes. Prints the remaining findings. */
export async function run() {
	if (!(await install())) return 1;
	return runInPlace(binary("biome"), ["check", "--write"]);
}
