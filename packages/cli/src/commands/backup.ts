import { Command } from "commander";
import { chosenDataDirectory } from "../data-directory.ts";
import type { Io } from "../io.ts";

interface BackupFlags {
	readonly data?: string;
	readonly force?: boolean;
	readonly json?: boolean;
}

const notes = `
The gateway may run meanwhile. The file holds conversations, kept files, agents
and settings, and also the keys and tokens: whoever has it is the operator.
`;

/** `parley backup FILE`: everything of a data directory in one file. */
export function backupCommand(io: Io, version: string): Command {
	return new Command("backup")
		.description("save everything of a data directory into one file")
		.argument("<file>", "what to write, a .tar.gz")
		.option("--data <dir>", "the data directory (PARLEY_DATA)")
		.option("--force", "replace a file that is there")
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd())
		.action(async (file: string, flags: BackupFlags) => {
			const data = await chosenDataDirectory(flags.data, io);
			const { saveToFile } = await import("../backup/save-to-file.ts");
			await saveToFile({ file, data, version, force: flags.force === true, json: flags.json === true }, io);
		});
}
