import { defined } from "@parley/base/defined";
import { Command, InvalidArgumentError, Option } from "commander";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";

interface RestoreFlags {
	readonly data?: string;
	readonly force?: boolean;
	readonly verify?: boolean;
	readonly maxSize?: number;
	readonly maxRatio?: number;
	readonly json?: boolean;
	readonly testHooks?: string;
}

const restoreNotes = `
Stop the gateway of the data directory first. --force moves existing data to
before-restore-TIME in the data directory; delete it when you no longer need it.

A file that unpacks to more than --max-size, or to more than --max-ratio times
its own size, is refused, because such a file can fill the disk.
`;

export function restoreCommand(io: Io): Command {
	return new Command("restore")
		.description("restore a backup that `parley backup` made")
		.argument("<file>", "a file that `parley backup` wrote")
		.option("--data <dir>", "the data directory (PARLEY_DATA)")
		.option("--force", "move existing data to before-restore-TIME")
		.option("--verify", "only check whether the file can be restored")
		.option("--max-size <size>", "maximum unpacked size, such as 500MB or 2TB (default: 100GB)", readSize)
		.option("--max-ratio <n>", "limit for unpacked bytes for each byte of the file (default: 100)", readRatio)
		.option("--json", "print JSON")
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", restoreNotes.trimEnd())
		.action(async (file: string, flags: RestoreFlags) => {
			const { restoreFromFile, verifyFile } = await import("../../backup/backup-file.ts");
			const json = flags.json === true;
			const { maxSize, maxRatio } = flags;
			const limits = defined({ maxBytes: maxSize, maxRatio });
			if (flags.verify) return verifyFile({ file, json, limits }, io);
			const data = await chosenDataDirectory(flags.data, io);
			const { force = false, testHooks } = flags;
			await restoreFromFile(defined({ file, data, force, json, limits, testHooks }), io);
		});
}

const units: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** Reads a number of bytes, such as `500MB` or `1048576`. */
function readSize(text: string): number {
	const [, number = "", unit = ""] = /^(\d{1,15}(?:\.\d{1,3})?)(|kb|mb|gb|tb)$/i.exec(text) ?? [];
	if (number === "") throw new InvalidArgumentError("use a number of bytes, such as 500MB, 100GB or 2TB");
	return Number(number) * (units[unit.toLowerCase()] ?? 1);
}

function readRatio(text: string): number {
	if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
	throw new InvalidArgumentError("use a whole number, such as 100");
}

interface BackupFlags {
	readonly data?: string;
	readonly force?: boolean;
	readonly json?: boolean;
}

const backupNotes = `
The gateway can keep running. The file contains sessions, stored files, agents
and settings. It also contains keys and tokens: a person who can read the file
has all permissions of the operator.
`;

export function backupCommand(io: Io, version: string): Command {
	return new Command("backup")
		.description("save a data directory to one file")
		.argument("<file>", "path of the backup, a .tar.gz")
		.option("--data <dir>", "the data directory (PARLEY_DATA)")
		.option("--force", "replace an existing file")
		.option("--json", "print JSON")
		.addHelpText("after", backupNotes.trimEnd())
		.action(async (file: string, flags: BackupFlags) => {
			const data = await chosenDataDirectory(flags.data, io);
			const { saveToFile } = await import("../../backup/backup-file.ts");
			await saveToFile({ file, data, version, force: flags.force === true, json: flags.json === true }, io);
		});
}
