import { join } from "node:path";
import { runInPlace } from "../packages/cli/bin/run-in-place.mjs";
import { install } from "./install.mjs";
import { binary, root } from "./paths.mjs";

/**
 * Plays small tasks with the configured model, to judge a change of a prompt or a tool.
 * @param {readonly string[]} args `--model NAME`, `--task PART_OF_NAME`, `--json FILE`.
 */
export async function run(args) {
	if (!(await install())) return 1;
	return runInPlace(binary("node"), [join(root, "test/eval/eval.ts"), ...args]);
}
