import { Command, Option } from "commander";
import type { Io } from "../../command-line/io.ts";
import { UsageError } from "../../command-line/usage.ts";
import type { RpcCommandFlags } from "../../gateway/run-rpc.ts";
import { rpcHelp, rpcMessages } from "../../texts/commands/gateway/rpc.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

/** Creates `parley rpc`, which runs the agent as a subprocess that exchanges JSON lines. */
export function rpcCommand(io: Io, version: string): Command {
	return (
		new Command("rpc")
			.description(rpcHelp.description)
			.option("--provider <name>", rpcHelp.provider)
			.option("--model <name>", rpcHelp.model)
			.option("--cwd <dir>", rpcHelp.workingDirectory)
			.option("--api-key <key>", rpcHelp.apiKey)
			.option("--base-url <url>", rpcHelp.baseUrl)
			.option("--system-prompt <text>", rpcHelp.systemPrompt)
			.option("--append-system-prompt <text>", rpcHelp.appendSystemPrompt, collect)
			.option("--reasoning <level>", rpcHelp.reasoning)
			.option("--max-steps <n>", rpcHelp.maxSteps)
			.option("--tools <names>", rpcHelp.tools, unlessNone)
			.option("--no-tools", rpcHelp.noTools)
			.option("--session <dir>", rpcHelp.session, sessionDirectory)
			.option("--rpc-approvals", rpcHelp.approvals)
			.option("--data <dir>", rpcHelp.data)
			.option("--config <file>", sharedHelp.config)
			.option("--sandbox <mode>", rpcHelp.sandbox)
			.option("--policy <file>", rpcHelp.policy)
			.option("--log-level <level>", rpcHelp.logLevel)
			.version(version, "--version", rpcHelp.version)
			// Flags that existing clients send. They have no effect, except that `--no-session` excludes `--session`.
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

function unlessNone(names: string, before: string | false | undefined): string | false {
	// commander treats a flag and its `--no-` form as one setting, whose last value applies. Here, `--no-tools` has
	// precedence.
	return before === false ? false : names;
}

/** Returns the directory of sessions, or false for `--no-session`. Throws if both flags are set. */
function sessionDirectory(directory: string | undefined, before: string | false | undefined): string | false {
	const place = directory === undefined ? before : before === false && directory;
	if (!place) return directory ?? false;
	throw new UsageError(rpcMessages.sessionAndNoSession({ directory: JSON.stringify(place) }));
}
