import { type Command, Option } from "commander";

/** Flags that select a session, its profile and its model. */
export interface SessionFlags {
	readonly session?: string;
	/** Continue the last session of the current directory. */
	readonly continue?: boolean;
	readonly profile?: string;
	readonly model?: string;
}

export function addSessionFlags(command: Command): Command {
	return command
		.option("--session <id>", "continue this session (see parley sessions)")
		.addOption(
			new Option("-c, --continue", "continue the last session of this directory").conflicts([
				"session",
				"profile",
			]),
		)
		.addOption(
			new Option("--profile <name>", "agent profile of a new session (see parley agents)").conflicts(
				"session",
			),
		)
		.option("--model <name>", "model (see parley models)");
}
