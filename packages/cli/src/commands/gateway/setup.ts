import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import type { SetupFlags } from "../../setup/setup-flags.ts";
import { setupHelp } from "../../texts/commands/gateway/setup.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

export function setupCommand(io: Io): Command {
	return new Command("setup")
		.description(setupHelp.description)
		.option("-y, --yes", setupHelp.yes)
		.option("--only <step>", setupHelp.only, (step: string, before: readonly string[] = []) => [
			...before,
			step,
		])
		.option("--restart", setupHelp.restart)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("--provider <name>", setupHelp.provider)
		.option("--model <name>", setupHelp.model)
		.option("--base-url <url>", setupHelp.baseUrl)
		.option("--key-stdin", setupHelp.keyStdin)
		.option("--no-test", setupHelp.noTest)
		.option("--project <dir>", setupHelp.project)
		.option("--sandbox <mode>", setupHelp.sandbox)
		.option("--discord", setupHelp.discord)
		.option("--slack", setupHelp.slack)
		.option("--service", setupHelp.service)
		.addHelpText("after", setupHelp.notes.trimEnd())
		.action(async (flags: SetupFlags) => {
			const { setUp } = await import("../../setup/wizard.ts");
			io.exitCode = await setUp(flags, io);
		});
}
