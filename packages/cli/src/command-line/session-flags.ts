import { type Command, Option } from "commander";
import { commandLineTexts } from "../texts/command-line.ts";

/** Flags that select a session, its profile and its model. */
export interface SessionFlags {
	readonly session?: string;
	/** Whether to continue the last session of the current directory. */
	readonly continue?: boolean;
	readonly profile?: string;
	readonly model?: string;
}

export function addSessionFlags(command: Command): Command {
	return command
		.option("--session <id>", commandLineTexts.session)
		.addOption(new Option("-c, --continue", commandLineTexts.continue).conflicts(["session", "profile"]))
		.addOption(new Option("--profile <name>", commandLineTexts.profile).conflicts("session"))
		.option("--model <name>", commandLineTexts.model);
}
