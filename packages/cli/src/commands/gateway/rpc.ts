import { Command, Option } from "commander";
import type { Io } from "../../command-line/io.ts";
import { UsageError } from "../../command-line/usage.ts";
import type { RpcCommandFlags } from "../../gateway/run-rpc.ts";

/** `parley rpc`: the agent as a subprocess that speaks JSON lines. */
export function rpcCommand(io: Io, version: string): Command {
	return (
		new Command("rpc")
			.description("serve another program over stdin and stdout: JSON lines (zot)")
			.option(
				"--provider <name>",
				"model provider: anthropic, offline, openai, kimi or another one (default: the configured one, else anthropic)",
			)
			.option("--model <name>", "model of the provider: a name, or fast, standard, max")
			.option("--cwd <dir>", "working directory of the agent (default: the current directory)")
			.option(
				"--api-key <key>",
				"API key of the provider; prefer a variable such as ANTHROPIC_API_KEY, which other users of this machine cannot see",
			)
			.option(
				"--base-url <url>",
				"URL of another server for the Messages API, or for the API of the named provider",
			)
			.option("--system-prompt <text>", "system prompt that replaces the built-in one")
			.option(
				"--append-system-prompt <text>",
				"text to append to the system prompt; may be repeated",
				collect,
			)
			.option(
				"--reasoning <level>",
				"reasoning level of models: off, minimal, low, medium, high, xhigh or max",
			)
			.option("--max-steps <n>", "maximum model calls for one prompt (default: no limit)")
			.option("--tools <names>", "allow only these tools: read,write,edit,bash", unlessNone)
			.option("--no-tools", "allow no tools")
			.option(
				"--session <dir>",
				"directory in which the session is saved and resumed (default: not saved)",
				sessionDirectory,
			)
			.option("--rpc-approvals", "ask the client to approve calls that require approval")
			.option("--data <dir>", "data directory: configuration, models.json, policy.jsonc")
			.option("--config <file>", "configuration file (default: parley.config.json in the data directory)")
			.option("--sandbox <mode>", "sandbox for commands: required, preferred (default), off or container")
			.option("--policy <file>", "policy file (default: policy.jsonc in the data directory)")
			.option("--log-level <level>", "debug, info, warn (default), error or silent")
			.version(version, "--version", "print the version of the program")
			// Existing clients send these flags, which change nothing.
			.addOption(new Option("--no-session").argParser(sessionDirectory).hideHelp())
			.addOption(new Option("--no-ext").hideHelp())
			.addOption(new Option("--no-skill").hideHelp())
			.addOption(new Option("--no-yolo").hideHelp())
			.allowExcessArguments(false)
			.action(async (flags: RpcCommandFlags) => {
				const { runRpc } = await import("../../gateway/run-rpc.ts");
				io.exitCode = await runRpc({ flags, io, version });
			})
	);
}

function collect(value: string, values: readonly string[] = []): string[] {
	return [...values, value];
}

/** A flag and its `--no-` are one setting of commander, of which the last one applies. Here `--no-tools` always applies. */
function unlessNone(names: string, before: string | false | undefined): string | false {
	return before === false ? false : names;
}

/** Value of `--session DIR` and `--no-session`. Throws if both are given, because one of them would lose a conversation. */
function sessionDirectory(directory: string | undefined, before: string | false | undefined): string | false {
	const place = directory === undefined ? before : before === false && directory;
	if (!place) return directory ?? false;
	throw new UsageError(
		`--session ${JSON.stringify(place)} saves the session, and --no-session does not: use only one of them`,
	);
}
