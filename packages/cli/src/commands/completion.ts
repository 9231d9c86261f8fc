import { Argument, Command } from "commander";
import type { Shell } from "../command-line/completion-scripts.ts";
import type { Io } from "../command-line/io.ts";
import { completionHelp } from "../texts/commands/completion.ts";

/**
 * Creates `parley completion`, which prints a script with which a shell completes commands, options and their
 * values.
 */
export function completionCommand(io: Io): Command {
	return new Command("completion")
		.description(completionHelp.description)
		.addArgument(new Argument("<shell>", completionHelp.shell).choices(["bash", "zsh", "fish"]))
		.addHelpText("after", completionHelp.notes.trimEnd())
		.action(async (shell: Shell) => {
			const { completionScript } = await import("../command-line/completion-scripts.ts");
			io.stdout.write(completionScript(shell));
		});
}

/**
 * Creates the hidden command that the scripts run with the typed words. `all` creates the program with the commands
 * that are completed.
 */
export function completeCommand(io: Io, all: (io: Io) => Command): Command {
	return new Command("complete").argument("[words...]").action(async (words: string[]) => {
		const { default: readCommands } = await import("@bomb.sh/tab/commander");
		const program = all(io);
		if (words.includes("config")) await completeSettings(program);
		// The library adds its own completion commands, so `program` must not contain those of Parley.
		readCommands(program, { completionCommandName: "completion" }).parse(words);
	});
}

/** Lets `@bomb.sh/tab` complete the names of settings, except names that contain a key of the operator's choice. */
async function completeSettings(program: Command): Promise<void> {
	const { settingKeys } = await import("@parley/gateway/settings");
	const keys = settingKeys();
	const config = program.commands.find((one) => one.name() === "config");
	for (const { registeredArguments } of config?.commands ?? []) registeredArguments[0]?.choices(keys);
}
