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
		.option("--session <id>", "go on with a conversation (parley sessions lists them)")
		.addOption(
			new Option("--profile <name>", "who answers in a new one (parley agents lists them)").conflicts(
				"session",
			),
		)
		.option("--model <name>", "which model answers (parley models lists them)");
}
