import { Command, Option } from "commander";
import type { AskFlags } from "../../ask/ask.ts";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import { addSessionFlags } from "../../command-line/session-flags.ts";
import { askHelp } from "../../texts/commands/sessions/ask.ts";

const addTo = (path: string, before: readonly string[] = []): string[] => [...before, path];

export function askCommand(io: Io): Command {
	const command = new Command("ask")
		.description(askHelp.description)
		.argument("<message...>", askHelp.message)
		.option("-y, --yes", askHelp.yes)
		.option("-f, --file <path>", askHelp.file, addTo)
		.option("-p, --print", askHelp.print)
		.addOption(
			new Option("--output-format <format>", askHelp.outputFormat).choices(["text", "json", "stream"]),
		)
		.addOption(new Option("--json", askHelp.json).conflicts(["outputFormat", "print"]))
		.addHelpText("after", askHelp.notes.trimEnd());
	return addAddressFlags(addSessionFlags(command)).action(async (words: string[], flags: AskFlags) => {
		const { ask } = await import("../../ask/ask.ts");
		io.exitCode = await ask(words.join(" "), flags, io);
	});
}
