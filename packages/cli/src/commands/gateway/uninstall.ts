import { Command, Option } from "commander";
import type { Io } from "../../command-line/io.ts";
import type { UninstallParleyFlags } from "../../service/uninstall-parley.ts";
import { uninstallHelp } from "../../texts/commands/gateway/uninstall.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

/**
 * Creates `parley uninstall`, which stops the gateway, and removes its services and, on request, its data. The
 * program stays.
 */
export function uninstallCommand(io: Io): Command {
	return new Command("uninstall")
		.description(uninstallHelp.description)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("--data-too", uninstallHelp.deleteData)
		.addOption(new Option("--keep-data", uninstallHelp.dataStays).implies({ dataStays: true }))
		.option("-y, --yes", sharedHelp.yes)
		.option("--dry-run", uninstallHelp.dryRun)
		.option("--json", sharedHelp.json)
		.addHelpText("after", uninstallHelp.notes.trimEnd())
		.action(async (flags: UninstallParleyFlags) => {
			const [{ uninstallParley }, { thisMachine }] = await Promise.all([
				import("../../service/uninstall-parley.ts"),
				import("../../service/machine.ts"),
			]);
			await uninstallParley(flags, { io, machine: thisMachine(io) });
		});
}
