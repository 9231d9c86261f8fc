import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import type { ConfigFlags } from "../../gateway/change-config.ts";
import { configHelp } from "../../texts/commands/gateway/config.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

/** Creates `parley config`, which shows and changes the settings of the configuration file. */
export function configCommand(io: Io): Command {
	const command = new Command("config")
		.description(configHelp.description)
		.helpCommand(false)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("--config <file>", sharedHelp.config)
		.option("--json", "print JSON")
		.addHelpText("after", configHelp.notes.trimEnd())
		.action(async (flags: ConfigFlags) => (await work()).showSettings(undefined, flags, io));
	return command
		.addCommand(getCommand(io))
		.addCommand(setCommand(io))
		.addCommand(unsetCommand(io))
		.addCommand(
			new Command("edit").description(configHelp.edit).action(async (_, own: Command) => {
				const { editSettings } = await import("../../gateway/edit-config.ts");
				io.exitCode = await editSettings(own.optsWithGlobals(), io);
			}),
		);
}

function getCommand(io: Io): Command {
	const command = new Command("get")
		.description(configHelp.get)
		.argument("[key]", configHelp.key)
		.option("--all", configHelp.all);
	return command.action(async (key: string | undefined) =>
		(await work()).showSettings(key, command.optsWithGlobals(), io),
	);
}

function setCommand(io: Io): Command {
	const command = new Command("set")
		.description(configHelp.set)
		.argument("<key>", configHelp.key)
		.argument("<value...>", configHelp.value);
	return command.action(async (key: string, words: readonly string[]) =>
		(await work()).storeSetting(key, words, { flags: command.optsWithGlobals(), io }),
	);
}

function unsetCommand(io: Io): Command {
	const command = new Command("unset").description(configHelp.unset).argument("<key>", configHelp.key);
	return command.action(async (key: string) =>
		(await work()).storeSetting(key, undefined, { flags: command.optsWithGlobals(), io }),
	);
}

function work() {
	return import("../../gateway/change-config.ts");
}
