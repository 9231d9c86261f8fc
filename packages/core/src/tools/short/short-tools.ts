import * as z from "zod";
import { defineTool, type Tool, type ToolContext } from "../../vocabulary/tool.ts";
import { runCommand } from "../commands/run-command.ts";
import { readFile } from "../files/read-file.ts";
import { writeFile } from "../files/write-file.ts";
import { edit } from "./edit.ts";

/**
 * The tools that clients of the stdio protocol know by name and parameters. They work like `read_file`, `write_file`,
 * `edit_file` and `run_command`, and rules, grants and channels use those names for them.
 */
export function shortTools(): readonly Tool[] {
	return short;
}

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 2 * 60 * 60;

const parameters = () =>
	z.strictObject({
		command: z.string().min(1).describe("The command line, for the shell (bash if it is installed)."),
		timeout: z
			.int()
			.min(1)
			.max(MAX_TIMEOUT_S)
			.default(DEFAULT_TIMEOUT_S)
			.describe("Seconds after which it is ended."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * `run_command` under the name that clients of the stdio protocol know. It has no parameter for the network: commands have
 * the access of their sandbox to the operator's hosts, if any. None leaves its sandbox.
 */
const bash = defineTool<Arguments>({
	name: "bash",
	ruleName: runCommand.name,
	description:
		"Runs a command line in the working directory; returns its output and its exit code if that is not 0. Each " +
		"call starts a new shell without input: directories and variables are not kept, programs get no input, and " +
		"background processes end with the call. The middle of long output is left out. Commands may run in a sandbox " +
		"without network, or with access only to the hosts that the operator allows. If a command fails for this " +
		"reason, name the command that must run elsewhere, and do not try to bypass the sandbox.",
	parameters,
	accepts: {
		names: ["shell"],
		ignored: ["description"],
		parameters: {
			command: { names: ["cmd"] },
			timeout: { names: ["timeout_ms", "timeout_seconds"], unit: "s" },
		},
	},
	effect: runCommand.effect,
	command: ({ command }) => command,
	plan: (args, context) => runCommand.plan(translated(args, context), context),
	run: (args, plan, context) => runCommand.run(translated(args, context), plan, context),
});

/** Arguments of `run_command`. */
function translated({ command, timeout }: Arguments, { sandbox }: ToolContext) {
	return {
		cmd: command,
		timeout_ms: timeout * 1_000,
		secrets: {},
		network: sandbox.egress !== undefined,
	};
}

/** `read_file` under the name that clients of the stdio protocol know. */
const read = defineTool({
	...readFile,
	name: "read",
	ruleName: readFile.name,
	description:
		"Reads lines of a text file; an image (PNG, JPEG, GIF, WebP, up to 3.75 MiB) is shown to you. Look at a file " +
		"before you change it. Returns at most 2,000 lines and 30,000 characters; a marker at the end says how to continue. " +
		"If the result of another call was shortened, the marker in it names a kept file: read that with this tool. " +
		"Directories and other binary files cannot be read.",
});

/** `write_file` under the name that clients of the stdio protocol know. */
const write = defineTool({
	...writeFile,
	name: "write",
	ruleName: writeFile.name,
	description:
		"Creates a text file with its missing directories, or replaces the complete content of a file. Give the " +
		"complete content, up to 256 KiB. To change parts of an existing file, use edit.",
});

const short: readonly Tool[] = [read, write, edit, bash];
