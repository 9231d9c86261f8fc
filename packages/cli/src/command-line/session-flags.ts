import { type Command, Option } from "commander";

/** Which conversation, and who answers in it. */
export interface SessionFlags {
	readonly session?: string;
	readonly profile?: string;
	readonly model?: string;
}

/** The flags of the commands that talk in a session. */
export function addSessionFlags(command: Command): Command {
	return command
		.option("--session <id>", "continue this session (see parley sessions)")
		.addOption(
			new Option("--profile <name>", "agent profile of a new session (see parley agents)").conflicts(
				"session",
			),
		)
		.option("--model <name>", "model (see parley models)");
}
