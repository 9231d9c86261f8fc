import { Command, Option } from "commander";
import { chosenDataDirectory } from "../data-directory.ts";
import type { Io } from "../io.ts";

interface RestoreFlags {
	readonly data?: string;
	readonly force?: boolean;
	readonly verify?: boolean;
	readonly json?: boolean;
	readonly testHooks?: string;
}

const notes = `
No gateway may run on the data directory. With --force, what is there is kept
in it as before-restore-TIME; remove that when nobody misses it.
`;

/** `parley restore FILE`: makes a backup the content of a data directory. */
export function restoreCommand(io: Io): Command {
	return new Command("restore")
		.description("bring back what `parley backup` saved")
		.argument("<file>", "a file that `parley backup` wrote")
		.option("--data <dir>", "the data directory (PARLEY_DATA)")
		.option("--force", "put aside what is in the data directory")
		.option("--verify", "only say whether the file could be restored")
		.option("--json", "print JSON")
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", notes.trimEnd())
		.action(async (file: string, flags: RestoreFlags) => {
			const { restoreFromFile, verifyFile } = await import("../backup/restore-from-file.ts");
			const json = flags.json === true;
			if (flags.verify) return verifyFile(file, json, io);
			const data = await chosenDataDirectory(flags.data, io);
			const { force = false, testHooks } = flags;
			await restoreFromFile({ file, data, force, json, ...(testHooks && { testHooks }) }, io);
		});
}
