import { Command } from "commander";
import type { Io } from "../command-line/io.ts";
import { UsageError } from "../command-line/usage.ts";
import { helpHelp, helpMessages } from "../texts/commands/help.ts";

/**
 * Creates `parley help`, which prints help for the program, for a command or subcommand, or for the offline
 * model.
 */
export function helpCommand(io: Io): Command {
	const command = new Command("help").description(helpHelp.description);
	return command.argument("[topic...]", helpHelp.topic).action(async (topic: string[]) => {
		if (topic.join(" ") === "offline") {
			const { offlineHelp } = await import("@parley/core");
			io.stdout.write(offlineHelp);
			return;
		}
		let explained = command.parent;
		for (const name of topic) explained = explained && subcommand(explained, name, topic);
		explained?.outputHelp();
	});
}

function subcommand(parent: Command, name: string, topic: readonly string[]): Command {
	const found = parent.commands.find((one) => one.name() === name || one.aliases().includes(name));
	if (found) return found;
	const others = parent.parent === null ? ["offline"] : [];
	const topics = [...parent.commands.map((one) => one.name()), ...others];
	const allowed = topics.length === 0 ? `parley help ${topic.slice(0, -1).join(" ")}` : topics.join(", ");
	throw new UsageError(helpMessages.noTopic({ topic: topic.join(" "), allowed }));
}
