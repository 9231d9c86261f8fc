import type { Tool } from "../../vocabulary/tool.ts";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

const short: readonly Tool[] = [read, write, edit, bash];

/**
 * The tools that clients of the stdio protocol know by name and parameters. They do what `read_file`, `write_file`,
 * `edit_file` and `run_command` do, and rules, grants and channels know them by these names.
 */
export function shortTools(): readonly Tool[] {
	return short;
}
