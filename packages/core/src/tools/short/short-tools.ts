import * as z from "zod";
import { defineTool, type Tool, type ToolContext } from "../../vocabulary/tool.ts";
import { runCommand } from "../commands/run-command.ts";
import { readFile } from "../files/read-file.ts";
import { writeFile } from "../files/write-file.ts";
import { edit } from "./edit.ts";
import { shortToolTexts } from "./texts.ts";

/**
 * Returns the tools for clients of the zot protocol, with the names and parameters of that protocol. The tools work like
 * `read_file`, `write_file`, `edit_file` and `run_command`. Rules, grants and channel settings use those four names for
 * the tools.
 */
export function shortTools(): readonly Tool[] {
	return short;
}

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 2 * 60 * 60;

const parameters = () =>
	z.strictObject({
		command: z.string().min(1).describe(shortToolTexts.command),
		timeout: z.int().min(1).max(MAX_TIMEOUT_S).default(DEFAULT_TIMEOUT_S).describe(shortToolTexts.timeout),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Variant of `run_command` without a parameter for the network. Each command runs in the session's sandbox, with access
 * to the hosts that the operator allows, if any.
 */
const bash = defineTool<Arguments>({
	name: "bash",
	ruleName: runCommand.name,
	description: shortToolTexts.bash,
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

function translated({ command, timeout }: Arguments, { sandbox }: ToolContext) {
	return {
		cmd: command,
		timeout_ms: timeout * 1_000,
		secrets: {},
		network: sandbox.egress !== undefined,
	};
}

const read = defineTool({
	...readFile,
	name: "read",
	ruleName: readFile.name,
	description: shortToolTexts.read,
});

const write = defineTool({
	...writeFile,
	name: "write",
	ruleName: writeFile.name,
	description: shortToolTexts.write,
});

const short: readonly Tool[] = [read, write, edit, bash];
