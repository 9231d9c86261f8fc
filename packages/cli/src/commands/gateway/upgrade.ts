import { Command, Option } from "commander";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { upgradeHelp } from "../../texts/commands/gateway/upgrade.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";
import type { UpgradeFlags } from "../../upgrade/upgrade-parley.ts";

interface Flags extends UpgradeFlags {
	/**
	 * Whether to migrate the data without an upgrade of the program. An upgrade calls the new version with this flag.
	 */
	readonly migrate?: boolean;
}

/**
 * Creates `parley upgrade`, which replaces the installed package. It restores the old version if the new version
 * does not run.
 */
export function upgradeCommand(io: Io): Command {
	return new Command("upgrade")
		.description(upgradeHelp.description)
		.option("--to <version>", upgradeHelp.to)
		.option("--check", upgradeHelp.check)
		.option("--copies <dir>", upgradeHelp.copies)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("-y, --yes", sharedHelp.yes)
		.option("--json", sharedHelp.json)
		.addOption(new Option("--migrate").hideHelp())
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", upgradeHelp.notes.trimEnd())
		.action(async ({ migrate, ...flags }: Flags) => {
			if (migrate) {
				const { migrateData } = await import("@parley/gateway/backup");
				return await migrateData(await chosenDataDirectory(flags.data, io));
			}
			const [{ upgradeParley }, { thisMachine }] = await Promise.all([
				import("../../upgrade/upgrade-parley.ts"),
				import("../../service/machine.ts"),
			]);
			io.exitCode = await upgradeParley(flags, { io, machine: thisMachine(io) });
		});
}
